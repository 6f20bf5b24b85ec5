package dev.weir.console;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.console.ConsoleClient.Response;
import dev.weir.named.NamedLimiter;
import dev.weir.testkit.Oracle;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Clients that hold a server up: whatever they do, the page of somebody else is answered, threads and heap are soon as before, and
 * requests are admitted meanwhile as if there were no console.
 */
@Tag("real-time")
class HostileClientsTest {
    private static final int LIMIT = 20;
    private static final int MANY = 100;
    private static final long HEAP_SLACK = 16 << 20;

    private final LimiterRegistry registry = LimiterRegistry.builder().build();
    private final NamedLimiter checkout = registry.limiter("checkout", new Semaphore(LIMIT));
    private final List<Socket> sockets = new ArrayList<>();
    private final AtomicInteger wrong = new AtomicInteger();
    private final AtomicInteger right = new AtomicInteger();
    private final ScheduledExecutorService load = Executors.newSingleThreadScheduledExecutor();
    private Console console;
    private ConsoleClient page;
    private Map<String, Integer> threads;
    private long heap;

    @BeforeEach
    void start() throws Exception {
        Console.Builder builder = Console.builder(registry);
        builder.limitNanos = TimeUnit.SECONDS.toNanos(1);
        builder.pages.recordedNanos = 0;
        console = builder.start();
        page = new ConsoleClient(console.uri()).login(console.tokenFile());
        load.scheduleWithFixedDelay(this::takeAll, 0, 1, TimeUnit.MILLISECONDS);
        // The threads of the first requests have ended by then.
        await().until(() -> !threads().containsKey("weir-console-request"));
        threads = threads();
        heap = heap();
    }

    /* All permits at once and one more, again and again: the limit is neither exceeded nor smaller. */
    private void takeAll() {
        List<Permit> held = new ArrayList<>();
        while (held.size() <= LIMIT && checkout.tryAcquire() instanceof Permit permit) {
            held.add(permit);
        }
        (held.size() == LIMIT ? right : wrong).incrementAndGet();
        held.forEach(permit -> permit.release(Outcome.SUCCESS));
    }

    @AfterEach
    void close() throws Exception {
        for (Socket socket : sockets) {
            socket.close();
        }
        // The page of the test has polled, so that the sampler is there for 10 seconds more.
        await().untilAsserted(() -> {
            Map<String, Integer> now = threads();
            now.remove("weir-console-sampler");
            assertEquals(threads, now);
        });
        await().untilAsserted(() -> assertTrue(heap() < heap + HEAP_SLACK, () -> heap + " -> " + heap()));
        load.shutdown();
        assertTrue(load.awaitTermination(1, TimeUnit.MINUTES));
        assertEquals(0, wrong.get());
        assertTrue(right.get() > 10, right::toString);
        Oracle.assertCapacity(LIMIT, checkout);
        console.close();
        registry.close();
    }

    private static Map<String, Integer> threads() {
        Map<String, Integer> names = new TreeMap<>();
        Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("weir-console") || name.startsWith("HTTP-Dispatcher"))
                .forEach(name -> names.merge(name, 1, Integer::sum));
        return names;
    }

    private static long heap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private Socket connect() throws IOException {
        Socket socket = page.connect();
        sockets.add(socket);
        return socket;
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private void assertAnswered() {
        // A machine may be so slow that a request has no time to be read while others wait; a page asks again.
        await().ignoreException(SocketException.class)
                .until(() -> page.get("api/limit?name=checkout").status() == 200);
    }

    /** The line of the answer; the rest is not read. */
    private static String status(Socket socket) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = socket.getInputStream().read();
                c >= 0 && c != '\r';
                c = socket.getInputStream().read()) {
            line.append((char) c);
        }
        return line.toString();
    }

    @Test
    void ofAHundredStreamsEightAreServedAndPlainRequestsStillAre() throws Exception {
        int served = 0;
        for (int i = 0; i < MANY; i++) {
            Socket socket = connect();
            write(socket, ConsoleClient.head("GET", "api/stream", page.headers()));
            String status = status(socket);
            assertTrue(status.contains(" 200 ") || status.contains(" 503 "), status);
            served += status.contains(" 200 ") ? 1 : 0;
        }
        assertEquals(Streams.MOST, served);
        assertAnswered();
        sockets.get(0).close();
        await().untilAsserted(() -> {
            Socket again = connect();
            write(again, ConsoleClient.head("GET", "api/stream", page.headers()));
            assertTrue(status(again).contains(" 200 "));
        });
    }

    /* Its buffers and those of the connection are full before the first frame has been written. */
    private Socket reader(String path) throws IOException {
        Socket socket = new Socket();
        sockets.add(socket);
        socket.setReceiveBufferSize(1024);
        socket.connect(new InetSocketAddress(
                InetAddress.getLoopbackAddress(), console.uri().getPort()));
        write(socket, ConsoleClient.head("GET", path, page.headers()));
        return socket;
    }

    @Test
    void aReaderThatReadsNothingHoldsItsStreamForTheLimitOfAFrameOnly() throws Exception {
        withLargeRows();
        for (int i = 0; i < Streams.MOST; i++) {
            reader("api/stream");
        }
        await().until(() -> threads().getOrDefault("weir-console-stream", 0) == Streams.MOST);
        assertAnswered();
        await().until(() -> !threads().containsKey("weir-console-stream"));
        try (Socket socket = page.connect()) {
            write(socket, ConsoleClient.head("GET", "api/stream", page.headers()));
            assertTrue(status(socket).contains(" 200 "));
        }
    }

    @Test
    void aReaderThatPausesLosesFramesAndGetsTheWholeBoardAgain() throws Exception {
        withLargeRows();
        Console.Builder builder = Console.builder(registry);
        builder.pages.recordedNanos = 0;
        try (Console patient = builder.start()) {
            ConsoleClient other = new ConsoleClient(patient.uri()).login(patient.tokenFile());
            Socket socket = new Socket();
            sockets.add(socket);
            socket.setReceiveBufferSize(1024);
            socket.connect(new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), patient.uri().getPort()));
            write(socket, ConsoleClient.head("GET", "api/stream", other.headers()));
            long begun = Long.parseLong(other.get("api/rows?since=0").field("id", true));
            await().until(() ->
                    Long.parseLong(other.get("api/rows?since=" + begun).field("id", true)) > begun + 5);
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            List<String> events = new ArrayList<>();
            while (events.size() < 2) {
                String line = lines.readLine();
                if (line.startsWith("event: ")) {
                    events.add(line);
                }
            }
            assertEquals(List.of("event: whole", "event: whole"), events);
        }
    }

    @Test
    void aReaderThatReadsNothingHoldsItsRequestForItsLimitOnly() throws Exception {
        withLargeRows();
        for (int i = 0; i < 20; i++) {
            reader("api/rows");
        }
        assertAnswered();
    }

    /* 6 MB for each page. */
    private void withLargeRows() throws IOException {
        for (int i = 0; i < 60; i++) {
            registry.limiter(i + "x".repeat(100_000), new Semaphore(1));
        }
        await().until(() -> page.get("api/rows").body().length() > 5_000_000);
        heap = heap() + HEAP_SLACK;
    }

    @Test
    void silentAndHalfOpenConnectionsHoldNobodyUp() throws Exception {
        String head = ConsoleClient.head("GET", "api/rows", page.headers());
        for (int i = 0; i < MANY; i++) {
            write(connect(), head.substring(0, i % 2 * (head.length() - 2)));
        }
        assertAnswered();
        String post = ConsoleClient.head(
                "POST",
                "api/session",
                Map.of(
                        "Host", "127.0.0.1:" + console.uri().getPort(),
                        "Origin", "http://127.0.0.1:" + console.uri().getPort(),
                        "Sec-Fetch-Site", "same-origin",
                        "Content-Type", "application/json",
                        "Content-Length", "1000"));
        for (int i = 0; i < 20; i++) {
            write(connect(), post + "{\"token\":");
        }
        assertAnswered();
    }

    @Test
    void whoSendsAByteNowAndThenIsCutOff() throws Exception {
        List<Socket> slow = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Socket socket = connect();
            write(socket, "GET /api/rows HTTP/1.1\r\nX: ");
            slow.add(socket);
        }
        AtomicInteger cut = new AtomicInteger();
        await().pollInterval(50, TimeUnit.MILLISECONDS).until(() -> {
            slow.removeIf(socket -> {
                try {
                    write(socket, "x");
                    return false;
                } catch (IOException e) {
                    cut.incrementAndGet();
                    return true;
                }
            });
            return cut.get() == 8;
        });
        assertAnswered();
    }

    @Test
    void aBodyOfAGigabyteIsNotRead() throws Exception {
        Map<String, String> headers = page.headers();
        headers.put("Origin", "http://127.0.0.1:" + console.uri().getPort());
        headers.put("Content-Type", "application/json");
        headers.put("Content-Length", "" + (1L << 30));
        Socket told = connect();
        write(told, ConsoleClient.head("POST", "api/session", headers));
        assertTrue(status(told).contains(" 413 "));
        assertTrue(sentUntilCutOff(told, "") < 8 << 20);

        headers.remove("Content-Length");
        headers.put("Transfer-Encoding", "chunked");
        Socket untold = connect();
        write(untold, ConsoleClient.head("POST", "api/session", headers));
        assertTrue(sentUntilCutOff(untold, "2000\r\n") < 8 << 20);
        assertAnswered();
    }

    @Test
    void headersWithoutAnEndAreNotKept() throws Exception {
        for (String begin : new String[] {"GET /", "GET / HTTP/1.1\r\nX: ", "GET / HTTP/1.1\r\n"}) {
            Socket socket = connect();
            write(socket, begin);
            assertTrue(sentUntilCutOff(socket, begin.endsWith("\n") ? "X: y\r\nX" : "") < 16 << 20);
        }
        assertAnswered();
    }

    /** Sends 1 GB in parts of 8 KB, each after a text, until the server closes the connection. */
    private static long sentUntilCutOff(Socket socket, String before) throws IOException {
        byte[] part = (before + "a".repeat(0x2000) + "\r\n").getBytes(StandardCharsets.US_ASCII);
        OutputStream out = socket.getOutputStream();
        long sent = 0;
        try {
            for (; sent < 1L << 30; sent += part.length) {
                out.write(part);
            }
        } catch (IOException cut) {
            return sent;
        }
        return sent;
    }

    @Test
    void manyRequestsAtOnceAreAnsweredOneAfterTheOther() throws Exception {
        List<Socket> all = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            Socket socket = connect();
            Map<String, String> headers = page.headers();
            headers.put("Connection", "close");
            write(socket, ConsoleClient.head("GET", "api/rows", headers));
            all.add(socket);
        }
        for (Socket socket : all) {
            Response answer = ConsoleClient.read(socket.getInputStream());
            assertEquals(200, answer.status());
        }
    }
}
