package dev.weir.apollo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.contract.ConfigSourceContract;
import dev.weir.config.contract.SourceProbe;
import dev.weir.config.contract.TcpProxy;
import dev.weir.config.document.Format;
import dev.weir.config.source.ConfigSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** Apollo's own client against a local server that speaks its protocol. */
class ApolloSourceTest extends ConfigSourceContract {
    @TempDir
    private static Path cache;

    private static ApolloServer server;
    private static TcpProxy proxy;
    private static int namespaces;

    private String namespace;

    @BeforeAll
    static void start() throws IOException {
        server = new ApolloServer();
        proxy = new TcpProxy(server.port());
        System.setProperty("app.id", "weir");
        System.setProperty("apollo.config-service", "http://127.0.0.1:" + proxy.port());
        System.setProperty("apollo.cache-dir", cache.toString());
        System.setProperty("apollo.longPollingInitialDelayInMills", "0");
        System.setProperty("apollo.longPollQPS", "1000");
        System.setProperty("apollo.loadConfigQPS", "1000");
        System.setProperty("apollo.refreshInterval", "1"); // minutes, after which it reads again what it missed
    }

    @AfterAll
    static void stop() throws IOException {
        proxy.close();
        server.close();
    }

    @BeforeEach
    void takeNewNamespace(TestInfo test) {
        // The client parses YAML, of 10 MB for 20 seconds, but no text.
        String end = test.getDisplayName().startsWith("aHugeDocument") ? ".txt" : ".yaml";
        namespace = "limits-" + ++namespaces + end;
        server.release(namespace, Map.of());
    }

    @AfterEach
    void restore() {
        proxy.restore();
    }

    @Override
    protected ConfigSource open() {
        return ApolloSource.of(namespace);
    }

    @Override
    protected void write(byte[] content) {
        server.release(namespace, Map.of("content", new String(content, UTF_8)));
    }

    @Override
    protected void delete() {
        server.release(namespace, Map.of());
    }

    @Override
    protected byte[] junk() {
        return "\u0000\u0007{[}: *a &a \t\u00e9\u2028\ud83d\ude00\r\n%%%".getBytes(UTF_8);
    }

    /** The client starts its threads at first use, for the whole process. */
    @Override
    protected boolean isNotOfTheSource(Thread thread) {
        return thread.getName().startsWith("Apollo-") || thread.getName().startsWith("apollo-server");
    }

    @Test
    void anOutageChangesNothingAndWhatWasMissedIsReadAfterIt() throws Exception {
        write(bytes("limits: {}"));
        try (SourceProbe probe = new SourceProbe(open(), time)) {
            probe.awaitContent(bytes("limits: {}"));
            proxy.cut();
            write(bytes("limits: {} # 2"));
            int attempts = probe.attempts().size();
            probe.wake();
            probe.awaitThat("a reading", () -> probe.attempts().size() > attempts);
            assertEquals(1, probe.readings().size());
            assertEquals(List.of(), probe.losses());
            proxy.restore();
            probe.awaitContent(bytes("limits: {} # 2"));
        }
    }

    @Test
    void aServerThatHangsAtTheStartIsALossAndCloseDoesNotWaitForIt() throws Exception {
        proxy.hang();
        SourceProbe probe = new SourceProbe(open(), time);
        probe.awaitLoss();
        proxy.restore();
        probe.close();
    }

    @Test
    void ifTheServerIsAwayAtTheStartOnlyTheFileOfAnEarlierRunIsReadAndIsNotWhole() throws Exception {
        List<String> names = List.of("with-file.yaml", "empty-file.yaml", "without-file.yaml");
        names.forEach(name -> server.release(name, Map.of("content", "limits: {} # 2")));
        earlier(names.get(0), "content=limits\\: {}\n");
        earlier(names.get(1), "");
        proxy.cut();
        try (SourceProbe file = started(names.get(0));
                SourceProbe empty = started(names.get(1));
                SourceProbe without = started(names.get(2))) {
            file.awaitContent(bytes("limits: {}"));
            assertFalse(file.last().isWhole());
            assertEquals(List.of(), file.losses());
            assertEquals(List.of(), empty.readings());
            assertEquals(List.of(), without.readings());
            proxy.restore();
            // What the client misses while the server comes back it reads at the next release, else at its refresh:
            // so there is a release every second or so.
            AtomicInteger looks = new AtomicInteger();
            for (SourceProbe probe : List.of(file, empty, without)) {
                probe.awaitThat("a whole reading", () -> {
                    if (looks.incrementAndGet() % 400 == 0) {
                        names.forEach(name -> server.release(name, Map.of("content", "limits: {} # 2")));
                    }
                    return !probe.readings().isEmpty() && probe.last().isWhole();
                });
                assertArrayEquals(bytes("limits: {} # 2"), probe.last().content());
            }
            without.awaitThat("the end of the outage", () -> without.restored() == 1);
        }
    }

    private SourceProbe started(String name) {
        SourceProbe probe = new SourceProbe(ApolloSource.of(name), time);
        probe.awaitThat(
                "a reading or a loss",
                () -> probe.readings().size() + probe.losses().size() == 1);
        return probe;
    }

    private static void earlier(String namespace, String properties) throws IOException {
        Path folder = Files.createDirectories(cache.resolve("weir").resolve("config-cache"));
        Files.writeString(folder.resolve("weir+default+" + namespace + ".properties"), properties);
    }

    @Test
    void aNamespaceThatDoesNotExistIsALoss() {
        try (SourceProbe probe = new SourceProbe(ApolloSource.of("nowhere.yaml"), time)) {
            probe.awaitThat("a loss", () -> probe.losses().size() == 1);
            assertTrue(probe.losses().get(0).getMessage().contains("nowhere.yaml"));
        }
    }

    @Test
    void theEndOfTheNameIsTheFormat() {
        assertReads("a.json", Format.JSON, Map.of("content", "{}"), "{}");
        assertReads("a.yml", Format.YAML, Map.of("content", "{}"), "{}");
        assertReads("a.txt", Format.YAML, Map.of("content", "{}"), "{}");
        assertReads(
                "team.limits",
                Format.TREE,
                Map.of("b.c", "2", "a", "1\n \u00e9"),
                "{\"a\":\"1\\n \u00e9\",\"b\":{\"c\":\"2\"}}");
        assertReads("b.properties", Format.TREE, Map.of("a", "1"), "{\"a\":\"1\"}");
    }

    private void assertReads(String name, Format format, Map<String, String> released, String content) {
        server.release(name, released);
        try (SourceProbe probe = new SourceProbe(ApolloSource.of(name), time)) {
            probe.awaitContent(bytes(content));
            assertEquals(format, probe.last().format());
            assertArrayEquals(bytes(content), probe.last().content());
        }
    }

    @Test
    void theLastOfManyReleasesOfPropertiesIsRead() {
        String name = "quick";
        server.release(name, Map.of("a", "0"));
        try (SourceProbe probe = new SourceProbe(ApolloSource.of(name), time)) {
            for (int i = 1; i <= 200; i++) {
                server.release(name, Map.of("a", "" + i));
                probe.wake();
            }
            probe.awaitContent(bytes("{\"a\":\"200\"}"));
        }
    }

    @Test
    void namesAreChecked() {
        assertEquals("apollo:limits.yaml", ApolloSource.of("limits.yaml").name());
        assertThrows(IllegalArgumentException.class, () -> ApolloSource.of(" "));
        assertThrows(IllegalArgumentException.class, () -> ApolloSource.of("limits.xml"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
