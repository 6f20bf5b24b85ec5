package dev.weir.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.config.LimiterRegistry;
import dev.weir.keyed.Keyed;
import dev.weir.named.NamedLimiter;
import dev.weir.testkit.VirtualTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What clients are told, over real HTTP. */
class GuardedHandlerTest {
    private final LimiterRegistry limits =
            LimiterRegistry.builder().ticker(new VirtualTime()).build();
    private final NamedLimiter service = limits.limiter("service", new Semaphore(3));
    private final Ledger ledger = new Ledger(3);
    private final HttpClient http = HttpClient.newHttpClient();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        limits.limiter("client", Keyed.of(TokenBucket.of(2, Duration.ofMinutes(1)), 10));
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                new GuardedHandler(
                        limits.names().limiter("client", "service"),
                        exchange -> exchange.sendResponseHeaders(200, -1),
                        ledger));
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private HttpResponse<Void> ask(String client) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        HttpRequest request =
                HttpRequest.newBuilder(uri).header("X-Client", client).build();
        return http.send(request, BodyHandlers.discarding());
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    @Test
    void anAdmittedClientIsToldBothLimitsAndThePermitsLeft() throws Exception {
        HttpResponse<Void> response = ask("ann");

        assertEquals(200, response.statusCode());
        assertEquals(
                "\"client\";q=2;w=60, \"service\";q=3;qu=\"concurrent-requests\"",
                header(response, "RateLimit-Policy"));
        assertEquals("\"client\";r=1;t=30, \"service\";r=2", header(response, "RateLimit"));
        assertEquals("2", header(response, "X-RateLimit-Limit"));
        assertEquals("1", header(response, "X-RateLimit-Remaining"));
        assertEquals(1, ledger.totals().returned());
    }

    @Test
    void aClientOverItsRateIsToldWhenToComeBackAndOthersAreServed() throws Exception {
        ask("ann");
        ask("ann");
        HttpResponse<Void> response = ask("ann");

        assertEquals(429, response.statusCode());
        assertEquals("\"client\";q=2;w=60", header(response, "RateLimit-Policy"));
        // two a minute is one in 30 s; jitter adds at most half
        assertEquals("\"client\";r=0;t=30", header(response, "RateLimit"));
        assertEquals("30", header(response, "X-RateLimit-Reset"));
        assertEquals("0", header(response, "X-RateLimit-Remaining"));
        assertTrue(Integer.parseInt(header(response, "Retry-After")) >= 30);
        assertTrue(Integer.parseInt(header(response, "Retry-After")) <= 45);
        assertEquals(200, ask("ben").statusCode());
    }

    @Test
    void aFullServiceSaysSoForNoClientInParticular() throws Exception {
        Permit all = (Permit) service.tryAcquire(Request.of(3));
        HttpResponse<Void> response = ask("ann");
        all.close();

        assertEquals(503, response.statusCode());
        assertEquals("1", header(response, "Retry-After"));
        assertEquals("\"service\";q=3;qu=\"concurrent-requests\"", header(response, "RateLimit-Policy"));
        assertEquals("\"service\";r=0", header(response, "RateLimit"));
        assertEquals("", header(response, "X-RateLimit-Limit"));
        assertEquals(200, ask("ann").statusCode());
        assertEquals(200, ask("ann").statusCode(), "what the service refused cost the client nothing");
    }
}
