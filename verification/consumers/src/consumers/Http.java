package consumers;

import com.sun.net.httpserver.HttpServer;
import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.algorithms.FixedWindow;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.http.RateLimitFields;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** A server that tells its clients of a limit, while that decides and is changed. */
public final class Http {
    private Http() {}

    public static void main(String[] args) throws Exception {
        ManagedLimiter orders = Limiters.of("orders", FixedWindow.of(1, Duration.ofHours(1)));
        RateLimitFields fields = RateLimitFields.of(orders);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            Decision decision = orders.tryAcquire();
            fields.write(decision, exchange.getResponseHeaders()::set);
            exchange.sendResponseHeaders(
                    decision instanceof Rejection refused ? RateLimitFields.status(refused) : 200, -1);
            exchange.close();
        });
        server.start();
        try {
            URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
            Check.expect(200, answer(address).statusCode());
            Check.expect(429, answer(address).statusCode());
            orders.dial().setLimit(2);
            HttpResponse<Void> third = answer(address);
            Check.expect(200, third.statusCode());
            Check.expect(
                    true,
                    third.headers().firstValue("RateLimit-Policy").orElse("").contains("q=2"));
        } finally {
            server.stop(0);
        }
    }

    private static HttpResponse<Void> answer(URI address) throws Exception {
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(address).build(), BodyHandlers.discarding());
    }
}
