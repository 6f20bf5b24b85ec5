package consumers;

import com.sun.net.httpserver.HttpServer;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import shop.Shop;

/** The sample of Spring Boot: it starts, tells its clients of their limit and refuses what is over it, and stops. */
public final class Boot {
    private Boot() {}

    public static void main(String[] args) throws Exception {
        HttpServer warehouse = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        warehouse.createContext("/stock", exchange -> {
            exchange.sendResponseHeaders(200, 1);
            exchange.getResponseBody().write('7');
            exchange.close();
        });
        warehouse.start();
        try {
            guarded("http://127.0.0.1:" + warehouse.getAddress().getPort());
        } finally {
            warehouse.stop(0);
        }
    }

    private static void guarded(String warehouse) throws Exception {
        SpringApplication application = new SpringApplication(Shop.class);
        application.setMainApplicationClass(Shop.class);
        URI orders;
        try (ConfigurableApplicationContext shop = application.run(
                "--server.port=0", "--warehouse=" + warehouse, "--weir.limits.per-client.rate=1/h")) {
            String port = shop.getEnvironment().getProperty("local.server.port");
            orders = URI.create("http://127.0.0.1:" + port + "/orders");
            HttpResponse<String> first = answer(orders, "ann");
            Check.expect(200, first.statusCode());
            Check.expect("7", first.body());
            Check.expect(true, field(first, "RateLimit").contains("\"per-client\";r=0"));
            HttpResponse<String> second = answer(orders, "ann");
            Check.expect(429, second.statusCode());
            Check.expect(true, field(second, "RateLimit-Policy").contains("\"per-client\";q=1"));
            Check.expect(true, Integer.parseInt(field(second, "Retry-After")) >= 1);
            Check.expect(200, answer(orders, "ben").statusCode());
        }
        try {
            throw new AssertionError("it answers after it was stopped: " + answer(orders, "cleo").statusCode());
        } catch (ConnectException stopped) {
            Check.expect(true, stopped.getClass() == ConnectException.class);
        }
    }

    private static String field(HttpResponse<String> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    private static HttpResponse<String> answer(URI address, String client) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(address).header("X-Client", client).build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString(StandardCharsets.UTF_8));
    }
}
