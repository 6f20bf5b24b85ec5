package dev.weir.samples;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.console.Console;
import java.io.BufferedReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code that the page about the console shows, and the console of the demo. */
@Tag("real-time")
class ConsoleTest {
    private static final Pattern CHECK = Pattern.compile("\"check\":\"([^\"]+)\"");

    private final HttpClient client = HttpClient.newHttpClient();

    /** Somebody who has given a token, as the page does. */
    private final class Visitor {
        private final URI console;
        private final String cookie;
        private final String session;

        Visitor(URI console, Path token) throws Exception {
            this.console = console;
            HttpResponse<String> answer = post(
                    "api/session", "{\"token\": \"" + Files.readString(token).strip() + "\"}", "", "");
            assertEquals(200, answer.statusCode(), answer::body);
            cookie = answer.headers().firstValue("Set-Cookie").orElseThrow().replaceFirst(";.*", "");
            session = answer.body();
        }

        HttpResponse<String> get(String path) throws Exception {
            return client.send(
                    HttpRequest.newBuilder(console.resolve(path))
                            .header("Cookie", cookie)
                            .build(),
                    BodyHandlers.ofString());
        }

        HttpResponse<String> post(String path, String body) throws Exception {
            Matcher check = CHECK.matcher(session);
            return post(path, body, cookie, check.find() ? check.group(1) : "");
        }

        private HttpResponse<String> post(String path, String body, String by, String check) throws Exception {
            HttpRequest.Builder request = HttpRequest.newBuilder(console.resolve(path))
                    .header("Content-Type", "application/json")
                    .header("Origin", console.toString().replaceFirst("/$", ""))
                    .header("Sec-Fetch-Site", "same-origin")
                    .header("X-Weir-Token", check)
                    .POST(BodyPublishers.ofString(body));
            if (!by.isEmpty()) {
                request.header("Cookie", by);
            }
            return client.send(request.build(), BodyHandlers.ofString());
        }
    }

    private static LimiterRegistry limits() {
        LimiterRegistry limits = LimiterRegistry.builder().build();
        assertNotNull(limits.limiter("checkout", new Semaphore(40)));
        return limits;
    }

    private static String override(LimiterRegistry limits) {
        return "{\"name\": \"checkout\", \"patch\": \"concurrency: 5\", \"seconds\": 60, \"why\": \"incident 7\", \"revision\": "
                + limits.limiter("checkout").status().revision() + "}";
    }

    @Test
    void aConsoleThatIsStartedOnlyShows() throws Exception {
        try (LimiterRegistry limits = limits()) {
            // #region start
            Console console = Console.start(limits);
            System.out.println(console.uri() + ", token in " + console.tokenFile());
            // #endregion start
            try (console) {
                Visitor visitor = new Visitor(console.uri(), console.tokenFile());
                await().until(() -> visitor.get("api/rows").body().contains("\"name\":\"checkout\""));
                assertEquals(403, visitor.post("api/override", override(limits)).statusCode());
                assertEquals(40, limits.limiter("checkout").snapshot().limit());
            }
        }
    }

    @Test
    void withATokenForThatItChangesLimits(@TempDir Path secrets) throws Exception {
        try (LimiterRegistry limits = limits()) {
            int port = 0; // a free one
            // #region write
            Console console = Console.builder(limits)
                    .name("checkout-1")
                    .readToken("on call", secrets.resolve("read"))
                    .writeToken("ann", secrets.resolve("write"))
                    .port(port)
                    .start();
            // #endregion write
            try (console) {
                Visitor ann = new Visitor(console.uri(), secrets.resolve("write"));
                HttpResponse<String> given = ann.post("api/override", override(limits));
                assertEquals(200, given.statusCode(), given::body);
                assertEquals(5, limits.limiter("checkout").snapshot().limit());
                assertTrue(limits.names().explain("checkout").toString().contains("override: ann: incident 7"));
            }
        }
    }

    @Test
    void theDemoHasAConsole() throws Exception {
        Process demo = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        S01_GuardedService.class.getName(),
                        "--console")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader printed = demo.inputReader()) {
            Matcher line = Pattern.compile("The console is at (\\S+), its token in (\\S+)")
                    .matcher(printed.readLine());
            assertTrue(line.find());
            Visitor visitor = new Visitor(URI.create(line.group(1)), Path.of(line.group(2)));
            await().until(() -> visitor.get("api/rows").body().contains("\"name\":\"service\""));
            assertTrue(demo.isAlive());
        } finally {
            demo.descendants().forEach(ProcessHandle::destroyForcibly);
            demo.destroyForcibly();
        }
    }
}
