package dev.weir.http.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.document.Format;
import dev.weir.config.source.Reading;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HttpSourceTest {
    private final List<HttpSource> opened = new ArrayList<>();
    private DocumentServer server;

    @BeforeEach
    void start() throws IOException {
        server = new DocumentServer();
    }

    @AfterEach
    void stop() {
        opened.forEach(HttpSource::close);
        server.close();
    }

    private URI address(String path) {
        return URI.create("http://127.0.0.1:" + server.port() + path);
    }

    private HttpSource open(String path) {
        return open(HttpSource.builder(address(path)));
    }

    private HttpSource open(HttpSource.Builder builder) {
        HttpSource source = builder.build();
        opened.add(source);
        return source;
    }

    private String refusal(String path) {
        HttpSource source = open(path);
        return assertThrows(IOException.class, source::read).getMessage();
    }

    private static String text(Reading reading) {
        return new String(reading.content(), UTF_8);
    }

    @Test
    void anUnchangedDocumentIsNotSentAgain() throws Exception {
        server.set("a".getBytes(UTF_8));
        HttpSource source = open("/limits.yaml");
        assertEquals("a", text(source.read()));
        assertEquals("a", text(source.read()));
        assertEquals(List.of("\"1\""), server.requests.get(1).get("If-none-match"));
        server.set("b".getBytes(UTF_8));
        assertEquals("b", text(source.read()));
        server.set(null);
        assertTrue(source.read().isAbsent());
        assertTrue(source.read().isAbsent());
        assertFalse(server.requests.get(4).containsKey("If-none-match"));
        assertEquals(Duration.ofSeconds(10), source.readEvery());
    }

    @Test
    void aServerWithoutTagsIsAskedByDate() throws Exception {
        HttpSource source = open("/dated.json");
        Reading first = source.read();
        assertEquals(Format.JSON, first.format());
        assertTrue(first.isSameAs(source.read()));
        assertEquals(
                List.of("Wed, 21 Oct 2026 07:28:00 GMT"), server.requests.get(1).get("If-modified-since"));
    }

    @Test
    void missingIsAbsentAndOtherStatusesAreFailures() throws Exception {
        assertTrue(open("/status/404").read().isAbsent());
        assertTrue(open("/status/410").read().isAbsent());
        for (int status : new int[] {204, 206, 304, 401, 403, 500, 503}) {
            assertEquals(
                    "answers with status " + status + ": " + address("/status/" + status),
                    refusal("/status/" + status));
        }
    }

    @Test
    void redirectsStayOnTheServer() throws Exception {
        server.set("a".getBytes(UTF_8));
        assertEquals("a", text(open("/to//limits.yaml").read()));
        assertEquals("a", text(open("/to/" + address("/limits.yaml")).read()));
        String other = "redirects to another server, ";
        assertTrue(refusal("/to/http://localhost:1/x?token=geheim").startsWith(other + "http://localhost:1: "));
        assertTrue(refusal("/to/http://127.0.0.1:1/x").startsWith(other));
        assertTrue(refusal("/to/https://127.0.0.1:" + server.port() + "/x").startsWith(other));
        assertTrue(refusal("/to/http://169.254.169.254/latest").startsWith(other));
        assertTrue(refusal("/to/file:///etc/passwd").startsWith(other));
        assertTrue(refusal("/to/").startsWith(other));
        assertEquals("has more than 3 redirects: " + address("/to/x"), refusal("/to/x"));
        assertTrue(
                server.requests.stream().noneMatch(headers -> headers.toString().contains("geheim")));
    }

    @Test
    void partsAndTooMuchAreRefused() {
        assertThrows(IOException.class, () -> open("/short").read());
        assertEquals("is larger than 16777216 bytes", refusal("/endless"));
    }

    /** Nobody can tell whether the connection or the document has ended. */
    @Test
    void anAnswerWithoutALengthIsNotKnownToBeWhole() throws Exception {
        try (ServerSocket raw = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            Thread answering = new Thread(() -> {
                try (Socket client = raw.accept()) {
                    client.getInputStream().read();
                    client.getOutputStream().write("HTTP/1.0 200 OK\r\n\r\nlimits: {}\n".getBytes(UTF_8));
                    client.shutdownOutput();
                    client.getInputStream().readAllBytes();
                } catch (IOException e) {
                    // The test has ended.
                }
            });
            answering.start();
            HttpSource source =
                    open(HttpSource.builder(URI.create("http://127.0.0.1:" + raw.getLocalPort() + "/limits.yaml")));
            Reading reading = source.read();
            source.close();
            answering.join();
            assertEquals("limits: {}\n", text(reading));
            assertFalse(reading.isWhole());
        }
    }

    @Test
    void theServerIsAskedToWaitOnceTheDocumentIsKnown() throws Exception {
        server.set("a".getBytes(UTF_8));
        HttpSource source =
                open(HttpSource.builder(address("/limits.yaml?x=1")).waiting(Duration.ofSeconds(50), "wait"));
        source.read();
        assertEquals(Duration.ZERO, source.readEvery());
        source.read();
        assertEquals(List.of("x=1", "x=1&wait=50"), server.queries);
        assertEquals(Duration.ofSeconds(10), source.readEvery(), "it did not wait");
        HttpSource preferring = open(HttpSource.builder(address("/limits.yaml")).waiting(Duration.ofSeconds(1)));
        preferring.read();
        preferring.read();
        assertEquals(List.of("wait=1"), server.requests.get(3).get("Prefer"));
    }

    @Test
    void headersAndUserAreSentAndNeverShown() throws Exception {
        server.set("a".getBytes(UTF_8));
        URI address = URI.create("http://me:geheim@127.0.0.1:" + server.port() + "/limits.yaml?sig=geheim#geheim");
        HttpSource source = open(HttpSource.builder(address).header("X-Token", "geheim"));
        assertEquals("a", text(source.read()));
        assertEquals(List.of("Basic bWU6Z2VoZWlt"), server.requests.get(0).get("Authorization"));
        assertEquals(List.of("geheim"), server.requests.get(0).get("X-token"));
        assertEquals("http://127.0.0.1:" + server.port() + "/limits.yaml?...", source.name());
        assertEquals(source.name(), source.toString());
        HttpSource.Builder builder = HttpSource.builder(address);
        String message = assertThrows(
                        IllegalArgumentException.class, () -> builder.header("X-Token", "geheim\r\nHost: x"))
                .getMessage();
        assertEquals("header X-Token has a character that is not allowed", message);
        assertThrows(IllegalArgumentException.class, () -> builder.header("Host", "x"));
    }

    @Test
    void onlyServersThatSpeakHttpAreAllowed() {
        for (String address : List.of("file:/etc/passwd", "jar:file:/x.jar!/y", "ftp://a/b", "relative", "http:/x")) {
            assertThrows(IllegalArgumentException.class, () -> HttpSource.of(URI.create(address)), address);
        }
        for (String address : List.of("http://169.254.169.254/latest", "http://2852039166/", "http://[fe80::1]/")) {
            HttpSource source = open(HttpSource.builder(URI.create(address)));
            String message = assertThrows(IOException.class, source::read).getMessage();
            assertTrue(message.startsWith("is a link-local address"), message);
        }
    }

    @Test
    void argumentsAreChecked() {
        HttpSource.Builder builder = HttpSource.builder(address("/"));
        assertThrows(IllegalArgumentException.class, () -> builder.readEvery(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> builder.timeout(Duration.ofMinutes(2)));
        assertThrows(IllegalArgumentException.class, () -> builder.waiting(Duration.ofMillis(999)));
        assertThrows(IllegalArgumentException.class, () -> builder.waiting(Duration.ofSeconds(1), "a&b"));
        builder.waiting(Duration.ofSeconds(60)).timeout(Duration.ofSeconds(11));
        assertThrows(IllegalArgumentException.class, builder::build);
    }

    @Test
    void aClosedSourceCannotBeRead() {
        HttpSource source = open("/limits.yaml");
        source.close();
        assertThrows(IOException.class, source::read);
    }
}
