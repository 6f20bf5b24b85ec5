package dev.weir.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.LimiterRegistry;
import dev.weir.http.Route;
import dev.weir.http.Routes;
import dev.weir.spring.boot.sample.ShopApplication;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** The sample application at work on each kind of server. */
@Tag("real-time")
@ExtendWith(OutputCaptureExtension.class)
final class StartedApplicationTest {
    private final HttpClient client = HttpClient.newHttpClient();

    @ParameterizedTest
    @ValueSource(strings = {"servlet", "reactive"})
    void requestsAreLimitedAsThePropertiesSay(String type, CapturedOutput output) throws Exception {
        try (ConfigurableApplicationContext shop = new SpringApplicationBuilder(ShopApplication.class)
                .run(
                        "--spring.main.web-application-type=" + type,
                        "--spring.main.banner-mode=off",
                        "--server.port=0",
                        "--weir.limits.per-client.rate=2/h",
                        "--weir.limits.per-client.key=tenant",
                        "--weir.web.keys.tenant=header:X-Tenant",
                        "--management.endpoint.weir.access=unrestricted")) {
            String shopUri = "http://localhost:" + shop.getEnvironment().getProperty("local.server.port");

            HttpResponse<String> first = send("POST", shopUri + "/orders", "");
            assertEquals(200, first.statusCode(), first::body);
            assertEquals("sold", first.body());
            assertTrue(
                    first.headers().firstValue("RateLimit").orElse("").contains("\"per-client\";r=1"),
                    () -> first.headers().toString());
            assertEquals(200, send("GET", shopUri + "/orders", "").statusCode());
            HttpResponse<String> refused = send("GET", shopUri + "/orders", "");
            assertEquals(429, refused.statusCode());
            assertTrue(
                    Long.parseLong(refused.headers().firstValue("Retry-After").orElseThrow()) > 1000);
            assertEquals(200, send("GET", shopUri + "/actuator/health", "").statusCode());
            for (Route route : shop.getBean(Routes.class).routes()) {
                assertEquals(1, linesWith(output, " " + route.path() + ": "), output::getOut);
            }
            assertEquals(
                    1,
                    linesWith(
                            output,
                            " POST /orders: per-client (key tenant, rate 2/h), "
                                    + "checkout (concurrency 20, queue.capacity 50, queue.max-wait 200ms)"),
                    output::getOut);

            endpoint(shopUri + "/actuator/weir");
            LimiterRegistry registry = shop.getBean(LimiterRegistry.class);
            Awaitility.await()
                    .untilAsserted(() -> assertEquals(
                            0, registry.limiter("checkout").status().limiter().inFlight()));
        }
    }

    private static long linesWith(CapturedOutput output, String part) {
        return output.getOut().lines().filter(line -> line.contains(part)).count();
    }

    private void endpoint(String uri) throws IOException, InterruptedException {
        HttpResponse<String> all = send("GET", uri, "");
        assertEquals(200, all.statusCode());
        assertTrue(all.body().contains("\"writer\":\"document\""), all::body);
        assertTrue(all.body().contains("\"routes\":[\"POST /orders: per-client, checkout\""), all::body);

        HttpResponse<String> wrong = send(
                "POST",
                uri + "/checkout",
                "{\"patch\": \"concurrency: 0\", \"duration\": \"1m\", \"who\": \"ann\", \"why\": \"test\"}");
        assertEquals(400, wrong.statusCode());
        assertTrue(wrong.body().contains("concurrency must be >= 1"), wrong::body);
        assertEquals(400, send("POST", uri + "/checkout", "{}").statusCode());

        HttpResponse<String> given = send(
                "POST",
                uri + "/checkout",
                "{\"patch\": \"concurrency: 3\", \"duration\": \"1m\", \"who\": \"ann\", \"why\": \"test\"}");
        assertEquals(200, given.statusCode(), given::body);
        assertTrue(given.body().contains("\"writer\":\"override\""), given::body);
        assertEquals(404, send("GET", uri + "/chekout", "").statusCode());
    }

    private HttpResponse<String> send(String method, String uri, String body) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(uri))
                .header("X-Tenant", "one")
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json");
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }
}
