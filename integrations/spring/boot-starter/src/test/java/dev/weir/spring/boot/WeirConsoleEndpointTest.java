package dev.weir.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.LimiterRegistry;
import dev.weir.spring.boot.sample.ShopApplication;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The console of an application at work, on each kind of server, on its port and on one of its own. */
@Tag("real-time")
final class WeirConsoleEndpointTest {
    /* A server that refuses a body before it has read it, and a client that asks for another protocol with it, may wait for each other. */
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private static ConfigurableApplicationContext started(String type, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.main.web-application-type=" + type,
                "--spring.main.banner-mode=off",
                "--server.port=0",
                "--management.endpoints.web.exposure.include=weirconsole"));
        arguments.addAll(List.of(more));
        return new SpringApplicationBuilder(ShopApplication.class).run(arguments.toArray(String[]::new));
    }

    private static String uri(ConfigurableApplicationContext shop, String port) {
        return "http://localhost:" + shop.getEnvironment().getProperty(port);
    }

    @ParameterizedTest
    @ValueSource(strings = {"servlet", "reactive"})
    void byDefaultItOnlyShows(String type) throws Exception {
        try (ConfigurableApplicationContext shop = started(type)) {
            String console = uri(shop, "local.server.port") + "/actuator/weirconsole";
            HttpResponse<String> start = get(console);
            assertEquals(200, start.statusCode(), start::body);
            assertTrue(start.body().contains("url=weirconsole/\""), start::body);

            HttpResponse<String> page = get(console + "/");
            assertServed(page, "text/html");
            List<String> files = Pattern.compile("(?:src|href)=\"([^\"]+)\"")
                    .matcher(page.body())
                    .results()
                    .map((MatchResult found) -> found.group(1))
                    .toList();
            assertTrue(files.size() > 1, page::body);
            for (String file : files) {
                HttpResponse<String> served =
                        get(URI.create(console + "/").resolve(file).toString());
                assertServed(
                        served, file.endsWith(".js") ? "text/javascript" : file.endsWith(".css") ? "text/css" : "");
            }

            assertTrue(get(console + "/api/session").body().contains("\"access\":\"read\""));
            assertTrue(get(console + "/api/session").body().contains("\"stream\":false,\"tokens\":false"));
            HttpResponse<String> rows = get(console + "/api/rows");
            assertServed(rows, "application/json");
            assertTrue(rows.body().contains("\"name\":\"checkout\""), rows::body);
            assertTrue(get(console + "/api/limit?name=checkout").body().contains("\"revision\":"));
            // The page asks for what is new only.
            HttpResponse<String> newer = get(console + "/api/limit?name=checkout&after=4000000000");
            assertTrue(newer.body().contains("\"seconds\":[]"), newer::body);
            HttpResponse<String> tick =
                    get(console + "/api/rows?since=" + rows.body().replaceFirst(".*\"id\":(\\d+).*", "$1"));
            assertFalse(tick.body().contains("\"process\""), tick::body);
            assertEquals(404, get(console + "/api/nothing").statusCode());
            assertTrue(get(console + "/..%2f..%2fapplication.yml").statusCode() >= 400);

            assertEquals(405, post(console + "/api/override", "{}").statusCode());
            LimiterRegistry registry = shop.getBean(LimiterRegistry.class);
            assertEquals(20, registry.limiter("checkout").snapshot().limit());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"servlet", "reactive"})
    void withAccessItChangesLimitsOnThePortOfTheManagement(String type) throws Exception {
        try (ConfigurableApplicationContext shop = started(
                type,
                "--management.server.port=0",
                // Spring Boot 4.1 fails where it finds both Tomcat and Netty, as here.
                "--spring.autoconfigure.exclude=org.springframework.boot.tomcat.autoconfigure.actuate.web.server"
                        + ".TomcatReactiveManagementContextAutoConfiguration",
                "--management.endpoints.web.base-path=/manage",
                "--management.endpoints.web.path-mapping.weirconsole=limits",
                "--weir.limits.per-client.rate=1000/s",
                "--management.endpoint.weirconsole.access=unrestricted")) {
            String console = uri(shop, "local.management.port") + "/manage/limits";
            assertTrue(get(console).body().contains("url=limits/\""));
            assertServed(get(console + "/"), "text/html");
            assertEquals(
                    404, get(uri(shop, "local.server.port") + "/manage/limits/").statusCode());
            assertTrue(get(console + "/api/session").body().contains("\"access\":\"write\""));

            LimiterRegistry registry = shop.getBean(LimiterRegistry.class);
            long revision = registry.limiter("checkout").status().revision();
            // As a page of another server can send it without asking.
            for (String simple : List.of("text/plain", "application/x-www-form-urlencoded")) {
                HttpResponse<String> forged =
                        post(console + "/api/override", override("concurrency: 3", revision), simple);
                assertEquals(415, forged.statusCode(), simple);
            }
            assertEquals(revision, registry.limiter("checkout").status().revision());

            HttpResponse<String> given = post(console + "/api/override", override("concurrency: 3", revision));
            assertEquals(200, given.statusCode(), given::body);
            assertServed(given, "application/json");
            assertEquals(3, registry.limiter("checkout").snapshot().limit());
            assertEquals(
                    "management",
                    registry.limiter("checkout").status().override().who());
            assertEquals(
                    409,
                    post(console + "/api/override", override("concurrency: 4", revision))
                            .statusCode());
            HttpResponse<String> wrong = post(
                    console + "/api/override",
                    override(
                            "concurrency: 0",
                            registry.limiter("checkout").status().revision()));
            assertEquals(400, wrong.statusCode());
            assertTrue(wrong.body().contains("concurrency must be"), wrong::body);

            HttpResponse<String> preview =
                    post(console + "/api/preview", "{\"name\": \"checkout\", \"patch\": \"concurrency: 9\"}");
            assertServed(preview, "application/json");
            assertTrue(preview.body().contains("\"requests\":"), preview::body);

            HttpResponse<String> undone = post(
                    console + "/api/undo",
                    "{\"name\": \"checkout\", \"revision\": "
                            + registry.limiter("checkout").status().revision() + "}");
            assertEquals(200, undone.statusCode(), undone::body);
            assertEquals(20, registry.limiter("checkout").snapshot().limit());
        }
    }

    private static String override(String patch, long revision) {
        return "{\"name\": \"checkout\", \"patch\": \"" + patch
                + "\", \"seconds\": 60, \"why\": \"test\", \"revision\": " + revision + "}";
    }

    private static void assertServed(HttpResponse<String> answer, String type) {
        assertEquals(200, answer.statusCode(), answer::body);
        String given = answer.headers().firstValue("Content-Type").orElse("");
        assertTrue(given.startsWith(type), given);
        String policy = answer.headers().firstValue("Content-Security-Policy").orElse("");
        assertTrue(policy.contains("require-trusted-types-for 'script'"), () -> answer.uri() + ": " + policy);
        assertEquals(
                "nosniff", answer.headers().firstValue("X-Content-Type-Options").orElse(""));
    }

    private static HttpRequest.Builder request(String uri) {
        return HttpRequest.newBuilder(URI.create(uri)).timeout(Duration.ofMinutes(1));
    }

    private HttpResponse<String> get(String uri) throws IOException, InterruptedException {
        return client.send(request(uri).build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> post(String uri, String body) throws IOException, InterruptedException {
        return post(uri, body, "application/json");
    }

    private HttpResponse<String> post(String uri, String body, String type) throws IOException, InterruptedException {
        return client.send(
                request(uri)
                        .header("Content-Type", type)
                        .POST(BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }
}
