package dev.weir.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.console.ConsoleClient.Response;
import dev.weir.named.NamedLimiter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests that no page of the console sends: each is refused, and changes nothing. */
class ForgedRequestsTest {
    private static final List<String> READING =
            List.of("api/session", "api/stream", "api/rows", "api/limit?name=checkout");
    private static final List<String> CHANGING = List.of("api/session", "api/preview", "api/override", "api/undo");

    private final LimiterRegistry registry = LimiterRegistry.builder().build();
    private final NamedLimiter checkout = registry.limiter("checkout", new Semaphore(20));
    private Console console;
    private ConsoleClient page;
    private int port;

    @TempDir
    private Path folder;

    @BeforeEach
    void start() throws Exception {
        console = Console.builder(registry)
                .writeToken("ann", folder.resolve("ann"))
                .host("console.example.org:443")
                .start();
        port = console.uri().getPort();
        page = new ConsoleClient(console.uri()).login(console.tokenFile());
    }

    @AfterEach
    void close() {
        assertEquals(20, checkout.snapshot().limit());
        console.close();
        registry.close();
    }

    private String change() {
        return "{\"name\":\"checkout\",\"patch\":{\"concurrency\":1},\"seconds\":60,\"why\":\"forged\",\"revision\":"
                + checkout.status().revision() + "}";
    }

    private Map<String, String> headersOfAChange() throws Exception {
        Map<String, String> headers = page.headers();
        headers.put("Origin", "http://127.0.0.1:" + port);
        headers.put("Content-Type", "application/json");
        headers.put("X-Weir-Token", page.get("api/session").field("check"));
        return headers;
    }

    /** Sends each change with headers that something is done to. */
    private void eachChange(int status, Consumer<Map<String, String>> forging) throws Exception {
        for (String path : CHANGING) {
            Map<String, String> headers = headersOfAChange();
            forging.accept(headers);
            Response answer = page.send("POST", path, headers, change());
            assertEquals(status, answer.status(), () -> path + " with " + headers + ": " + answer);
            assertEquals(20, checkout.snapshot().limit());
        }
    }

    @Test
    void anotherHostIsRefusedEverywhere() throws Exception {
        for (String host : List.of(
                "evil.example",
                "127.0.0.1",
                "127.0.0.1:" + (port - 1),
                "127.0.0.1:" + port + ".evil.example",
                "evil.example:" + port,
                "localhost.evil.example:" + port,
                "127.0.0.1:" + port + "@evil.example",
                "2130706433:" + port,
                "console.example.org:" + port,
                "",
                "127.0.0.1:" + port + "\r\nHost: evil.example")) {
            for (String path : List.of("", "console.js", "api/session", "api/rows", "api/stream")) {
                Map<String, String> headers = page.headers();
                headers.put("Host", host);
                assertEquals(421, page.send("GET", path, headers, "").status(), host + " " + path);
            }
            eachChange(421, headers -> {
                headers.put("Host", host);
                headers.put("Origin", "http://" + host);
            });
        }
        Map<String, String> headers = page.headers();
        headers.remove("Host");
        assertEquals(421, page.send("GET", "api/rows", headers, "").status());
    }

    @Test
    void aNameThatWasAllowedIsAnswered() throws Exception {
        for (String host : List.of("localhost:" + port, "LOCALHOST:" + port, "[::1]:" + port, "console.example.org")) {
            Map<String, String> headers = page.headers();
            headers.put("Host", host);
            assertEquals(200, page.send("GET", "api/rows", headers, "").status(), host);
        }
    }

    @Test
    void aChangeOfAnotherOriginIsRefused() throws Exception {
        eachChange(403, headers -> headers.remove("Origin"));
        for (String origin : List.of(
                "null",
                "http://evil.example",
                "http://127.0.0.1",
                "http://127.0.0.1:" + (port + 1),
                "http://localhost:" + port,
                "http://127.0.0.1:" + port + ".evil.example",
                "http://127.0.0.1:" + port + "/",
                "http://127.0.0.1:" + port + "\r\nOrigin: http://evil.example")) {
            eachChange(403, headers -> headers.put("Origin", origin));
        }
    }

    @Test
    void aRequestThatABrowserSaysIsOfAnotherPageIsRefused() throws Exception {
        eachChange(403, headers -> headers.remove("Sec-Fetch-Site"));
        for (String site : List.of("cross-site", "same-site", "none", "same-origin, cross-site")) {
            eachChange(403, headers -> headers.put("Sec-Fetch-Site", site));
        }
        for (String path : READING) {
            Map<String, String> headers = page.headers();
            headers.put("Sec-Fetch-Site", "same-site");
            assertEquals(403, page.send("GET", path, headers, "").status(), path);
        }
    }

    @Test
    void aChangeWithoutTheCheckOfItsSessionIsRefused() throws Exception {
        String another = new ConsoleClient(console.uri())
                .login(console.tokenFile())
                .get("api/session")
                .field("check");
        for (String path : CHANGING.subList(1, CHANGING.size())) {
            for (String check : List.of(
                    "", "x", another, Files.readString(console.tokenFile()).strip())) {
                Map<String, String> headers = headersOfAChange();
                headers.put("X-Weir-Token", check);
                assertEquals(403, page.send("POST", path, headers, change()).status(), path);
            }
            Map<String, String> headers = headersOfAChange();
            headers.remove("Cookie");
            assertEquals(401, page.send("POST", path, headers, change()).status(), path);
            headers.put("Cookie", "weir-console-" + port + "=" + another);
            assertEquals(401, page.send("POST", path, headers, change()).status(), path);
        }
    }

    @Test
    void onlyJsonIsRead() throws Exception {
        eachChange(415, headers -> headers.remove("Content-Type"));
        for (String type :
                List.of("text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-7")) {
            eachChange(415, headers -> headers.put("Content-Type", type));
        }
    }

    @Test
    void aTokenMustBeWhole() throws Exception {
        String token = Files.readString(console.tokenFile()).strip();
        ConsoleClient stranger = new ConsoleClient(console.uri());
        for (String given :
                List.of(token.substring(1), token + "x", token.toLowerCase(java.util.Locale.ROOT), " " + token)) {
            Response answer = stranger.post("api/session", "{\"token\":\"" + given + "\"}");
            assertEquals(401, answer.status());
            assertFalse(answer.headers().containsKey("set-cookie"));
        }
        assertEquals(400, stranger.post("api/session", "{\"token\":null}").status());
        Response session = stranger.post("api/session", "{\"token\":\"" + token + "\"}");
        assertTrue(session.headers().get("set-cookie").endsWith("; HttpOnly; SameSite=Strict; Path=/"));
        assertFalse(
                session.body().contains(token) || session.headers().toString().contains(token));
    }

    @Test
    void otherMethodsAreRefusedAndNoOtherOriginIsAllowedAnything() throws Exception {
        Map<String, String> headers = headersOfAChange();
        headers.put("Access-Control-Request-Method", "POST");
        for (String path :
                List.of("", "console.js", "api/rows", "api/limit", "api/override", "api/session", "api/stream")) {
            for (String method : List.of("OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "HEAD", "get", "POST", "GET")) {
                boolean isPosted = path.equals("api/override") || path.equals("api/session");
                boolean isRead = !path.equals("api/override");
                if (method.equals("POST") && isPosted || method.equals("GET") && isRead) {
                    continue;
                }
                Response answer = page.send(method, path, headers, "");
                assertEquals(405, answer.status(), method + " " + path);
                assertEquals(
                        path.equals("api/session") ? "GET, POST" : isPosted ? "POST" : "GET",
                        answer.headers().get("allow"));
                assertFalse(answer.headers().toString().contains("access-control"), answer::toString);
            }
        }
    }

    @Test
    void noFileBesideThePageIsServed() throws Exception {
        for (String path : List.of(
                "../console/Console.class",
                "Console.class",
                "module-info.class",
                "%2e%2e/%2e%2e/etc/passwd",
                "..%2f..%2fetc%2fpasswd",
                "../../../../../../etc/passwd",
                "/etc/passwd",
                "//evil.example/x.js",
                "META-INF/MANIFEST.MF",
                "index.html%00.js",
                "console.js/../../x",
                "api/../index.html",
                "INDEX.HTML.",
                ".html")) {
            Response answer = page.get(path);
            assertTrue(answer.status() == 404 || answer.status() == 421, path + ": " + answer);
            assertFalse(answer.body().contains("root:"), path);
        }
    }

    @Test
    void everyAnswerHasTheHeadersThatKeepAPageSafe() throws Exception {
        for (String path : List.of("", "nothing", "api/session", "api/rows", "api/limit?name=nothing")) {
            Map<String, String> headers = page.get(path).headers();
            assertTrue(
                    headers.get("content-security-policy").startsWith("default-src 'none'; script-src 'self'; "),
                    headers::toString);
            assertTrue(headers.get("content-security-policy").contains("require-trusted-types-for 'script'"));
            assertEquals("nosniff", headers.get("x-content-type-options"));
            assertEquals("no-referrer", headers.get("referrer-policy"));
            assertEquals("no-store", headers.get("cache-control"));
            assertEquals("same-origin", headers.get("cross-origin-opener-policy"));
            assertEquals("same-origin", headers.get("cross-origin-resource-policy"));
        }
    }
}
