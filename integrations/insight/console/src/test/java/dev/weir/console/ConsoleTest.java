package dev.weir.console;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.console.ConsoleClient.Response;
import dev.weir.named.recorder.Histogram;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A console by its server, as a page uses it. */
class ConsoleTest {
    private final LimiterRegistry registry = LimiterRegistry.builder().build();

    @TempDir
    private Path folder;

    @AfterEach
    void close() {
        registry.close();
    }

    @Test
    void showsTheLimitsToWhoHasTheToken() throws Exception {
        registry.limiter("checkout", new Semaphore(20));
        Path token;
        try (Console console = Console.start(registry)) {
            token = console.tokenFile();
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(token)));
            ConsoleClient page = new ConsoleClient(console.uri());
            assertEquals("none", page.get("api/session").field("access"));
            assertEquals(401, page.get("api/rows").status());
            assertEquals(
                    401,
                    page.post("api/session", "{\"token\":\"of another console\"}")
                            .status());
            assertEquals("read", page.login(token).get("api/session").field("access"));
            Response rows = page.get("api/rows");
            assertTrue(rows.body().contains("\"name\":\"checkout\",\"kind\":\"concurrency\",\"limit\":20"), rows::body);
            assertEquals("20", page.get("api/limit?name=checkout").field("remaining"));
            assertEquals(
                    403,
                    page.post("api/undo", "{\"name\":\"checkout\",\"revision\":1}")
                            .status());
        }
        assertTrue(Files.notExists(token));
    }

    @Test
    void aStreamBeginsWithAllAndGoesOnWithWhatChanges() throws Exception {
        registry.limiter("checkout", new Semaphore(20));
        try (Console console = Console.start(registry)) {
            ConsoleClient page = new ConsoleClient(console.uri()).login(console.tokenFile());
            try (Socket socket = page.connect()) {
                socket.getOutputStream()
                        .write(ConsoleClient.head("GET", "api/stream", page.headers())
                                .getBytes(StandardCharsets.US_ASCII));
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
                assertTrue(next(lines, "data: ").contains("checkout"));
                registry.limiter("search", new Semaphore(3));
                String tick;
                do {
                    assertEquals("event: tick", next(lines, "event: "));
                    tick = next(lines, "data: ");
                } while (!tick.contains("search"));
                assertFalse(tick.contains("checkout"), tick);
            }
        }
    }

    @Test
    void theHistoryIsOfTheSecondsSinceSomebodyLooksOrSinceTheStart() throws Exception {
        registry.limiter("checkout", new Semaphore(20));
        try (Console console = Console.builder(registry).recordAlways().start()) {
            ConsoleClient page = new ConsoleClient(console.uri()).login(console.tokenFile());
            await().untilAsserted(() -> {
                registry.limiter("checkout").run(() -> {});
                String detail = page.get("api/limit?name=checkout").body();
                assertTrue(detail.matches(".*\"seconds\":\\[.*\"admitted\":[1-9].*"), detail);
            });
            String detail =
                    page.get("api/limit?name=checkout&after=" + Long.MAX_VALUE).body();
            assertTrue(detail.contains("\"seconds\":[]"), detail);
            assertEquals(
                    Histogram.SIZE,
                    detail.replaceFirst(".*\"bounds\":\\[", "")
                            .replaceFirst("].*", "")
                            .split(",")
                            .length);
        }
    }

    @Test
    void aSuspensionIsShownWithItsReason() throws Exception {
        registry.limiter("checkout", new Semaphore(20));
        try (Console console = Console.start(registry)) {
            ConsoleClient page = new ConsoleClient(console.uri()).login(console.tokenFile());
            assertFalse(page.get("api/rows").body().contains("suspended"));
            assertFalse(page.get("api/limit?name=checkout").body().contains("suspended"));
            registry.limiter("checkout").suspendFor(Duration.ofHours(1), "the \"provider\"");
            await().until(() -> page.get("api/rows").body().contains("\"suspendedMs\":3"));
            Response detail = page.get("api/limit?name=checkout");
            assertTrue(
                    detail.body().matches("(?s).*\"suspended\":\\{\"ms\":3[0-9]+,\"why\":\"the .{1,9}provider.*"),
                    detail::body);
        }
    }

    @Test
    void aQueueWhoseRequestsWaitForeverIsShown() throws Exception {
        registry.limiter("checkout", new Semaphore(20));
        registry.override("checkout", "{ concurrency: 20, queue: 5 }", Duration.ofMinutes(1), "ann", "to wait");
        try (Console console = Console.start(registry)) {
            ConsoleClient page = new ConsoleClient(console.uri()).login(console.tokenFile());
            Response detail = page.get("api/limit?name=checkout");
            assertEquals(200, detail.status(), detail::body);
            assertTrue(detail.body().contains("\"capacity\":5"), detail::body);
            assertFalse(detail.body().contains("maxWaitMs"), detail::body);
        }
    }

    private static String next(BufferedReader lines, String start) throws Exception {
        String line = lines.readLine();
        while (!line.startsWith(start)) {
            line = lines.readLine();
        }
        return line;
    }

    @Test
    void aTokenFileIsMadeOrReadAndMustBeItsOwnersAlone() throws Exception {
        registry.limiter("checkout", new Semaphore(20));
        Path ann = folder.resolve("ann");
        Path old = folder.resolve("old");
        Files.writeString(old, "0123456789abcdef0123456789abcdef\n");
        Files.setPosixFilePermissions(old, PosixFilePermissions.fromString("r--------"));
        try (Console console = Console.builder(registry)
                .writeToken("ann", ann)
                .readToken("bob", old)
                .start()) {
            ConsoleClient page = new ConsoleClient(console.uri());
            assertEquals("bob", page.login(old).get("api/session").field("name"));
            assertEquals("write", page.login(ann).get("api/session").field("access"));
        }
        assertTrue(Files.exists(ann));
        Files.setPosixFilePermissions(old, PosixFilePermissions.fromString("r--r-----"));
        var builder = Console.builder(registry).readToken("bob", old);
        var wrong = assertThrows(IllegalArgumentException.class, builder::start);
        assertTrue(wrong.getMessage().contains("chmod 600"), wrong::getMessage);
        Files.setPosixFilePermissions(old, PosixFilePermissions.fromString("rw-------"));
        Files.writeString(old, "too short");
        assertThrows(IllegalArgumentException.class, builder::start);
    }

    @Test
    void anotherAddressNeedsTheFlagAndAToken() throws Exception {
        InetAddress any = InetAddress.getByName("0.0.0.0");
        assertThrows(
                IllegalArgumentException.class,
                () -> Console.builder(registry).address(any).start());
        assertThrows(
                IllegalArgumentException.class,
                () -> Console.builder(registry).address(any).openToNetwork().start());
        assertThrows(
                IllegalArgumentException.class,
                () -> Console.builder(registry)
                        .address(any)
                        .readToken("bob", folder.resolve("bob"))
                        .start());
        Console.builder(registry)
                .address(any)
                .openToNetwork()
                .readToken("bob", folder.resolve("bob"))
                .start()
                .close();
    }

    @Test
    void theThreadsEndWithTheConsoleAndNoneKeepsTheProcessAlive() throws Exception {
        Console console = Console.start(registry);
        ConsoleClient page = new ConsoleClient(console.uri()).login(console.tokenFile());
        page.get("api/rows");
        String kept = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("weir-console")
                        || thread.getName().startsWith("HTTP"))
                .filter(thread -> !thread.isDaemon())
                .map(Thread::getName)
                .collect(Collectors.joining());
        assertEquals("", kept);
        console.close();
        console.close();
    }
}
