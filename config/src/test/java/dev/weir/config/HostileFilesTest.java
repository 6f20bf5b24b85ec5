package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.weir.algorithms.Semaphore;
import dev.weir.config.HostileDocuments.Hostile;
import dev.weir.config.document.Format;
import dev.weir.config.source.FileSource;
import dev.weir.named.status.ConfigEvent;
import dev.weir.named.status.ConfigEvent.Changed;
import dev.weir.named.status.ConfigEvent.Refused;
import dev.weir.named.status.ConfigEvent.SourceLost;
import dev.weir.testkit.VirtualTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same as {@link HostileDocumentsTest} with a file, which is read at intervals. */
class HostileFilesTest {
    private static final String PLAIN = "limits:\n  a: { concurrency: %d }\n  b: { concurrency: %d }\n";

    @TempDir
    Path directory;

    private final VirtualTime time = new VirtualTime();
    private final List<ConfigEvent> events = new ArrayList<>();
    private Path file = Path.of("");
    private LimiterRegistry registry = LimiterRegistry.builder().build();
    private long written;

    @BeforeEach
    void start() throws IOException {
        file = directory.resolve("limits.yaml");
        write(document(1));
        registry = LimiterRegistry.builder()
                .source(FileSource.of(file))
                .ticker(time)
                .alarm(time)
                .executor(Runnable::run)
                .onEvent(events::add)
                .build();
        time.advance(Duration.ofSeconds(5));
        events.clear();
        assertInForce(1);
    }

    @AfterEach
    void close() {
        registry.close();
    }

    private static byte[] document(int limit) {
        return HostileDocuments.utf8(String.format(java.util.Locale.ROOT, PLAIN, limit, limit));
    }

    /* The time of the file is set, because two writes may come within one tick of the file system's clock. */
    private void write(byte[] bytes) throws IOException {
        Files.write(file, bytes);
        Files.setLastModifiedTime(file, FileTime.fromMillis(++written * 1000));
    }

    private void assertInForce(long limit) {
        for (String name : List.of("a", "b")) {
            assertEquals(limit, ((Semaphore) registry.limiter(name).snapshot().spec()).limit(), events::toString);
        }
    }

    private void assertOneReport(Class<? extends ConfigEvent> type, String what) {
        assertEquals(1, events.stream().filter(type::isInstance).count(), () -> what + events);
        assertEquals(1, events.size(), () -> what + events);
        assertInForce(1);
        events.clear();
    }

    @Test
    void C1_whatCannotBeReadChangesNothing() throws IOException {
        Map<String, Step> obstacles = new LinkedHashMap<>();
        obstacles.put("a directory", () -> Files.createDirectory(file));
        obstacles.put("a link to itself", () -> Files.createSymbolicLink(file, file));
        obstacles.put("a link to a directory", () -> Files.createSymbolicLink(file, directory));
        obstacles.put("a device", () -> Files.createSymbolicLink(file, Path.of("/dev/zero")));
        obstacles.put("20 MB", () -> Files.write(file, new byte[20 << 20]));
        for (Map.Entry<String, Step> obstacle : obstacles.entrySet()) {
            Files.delete(file);
            obstacle.getValue().run();
            time.advance(Duration.ofHours(1));
            assertOneReport(SourceLost.class, obstacle.getKey());
            Files.delete(file);
            write(document(1));
            time.advance(Duration.ofMinutes(2));
            assertOneReport(ConfigEvent.SourceRestored.class, obstacle.getKey());
        }
        Files.delete(file);
        time.advance(Duration.ofHours(1));
        assertOneReport(Refused.class, "deleted");
        write(document(7));
        time.advance(Duration.ofSeconds(5));
        assertInForce(7);
    }

    private interface Step {
        void run() throws IOException;
    }

    @Test
    void C1_aFileThatMayNotBeReadChangesNothing() throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
        assumeFalse(Files.isReadable(file), "root reads every file");
        time.advance(Duration.ofHours(1));
        assertOneReport(SourceLost.class, "EACCES");
    }

    @Test
    void C1_whatIsNoDocumentChangesNothing() throws IOException {
        String good = new String(document(9), StandardCharsets.UTF_8);
        Map<String, byte[]> bad = new LinkedHashMap<>();
        bad.put("empty", new byte[0]);
        bad.put("tabs", HostileDocuments.utf8(good.replace("  ", "\t")));
        bad.put("UTF-16", good.getBytes(StandardCharsets.UTF_16));
        bad.put("Latin-1", (good + "# \u00e4").getBytes(StandardCharsets.ISO_8859_1));
        bad.put("NUL", new byte[4096]);
        bad.put("junk", HostileDocuments.utf8("limits: [}"));
        for (Map.Entry<String, byte[]> each : bad.entrySet()) {
            write(each.getValue());
            time.advance(Duration.ofHours(1));
            assertEquals(1, registry.status().accepted());
            assertInForce(1);
            assertEquals(1, events.stream().filter(Refused.class::isInstance).count(), () -> each.getKey() + events);
            events.clear();
        }
        write(HostileDocuments.utf8("\uFEFF" + good.replace("\n", "\r\n")));
        time.advance(Duration.ofSeconds(5));
        assertInForce(9);
    }

    @Test
    void C2_aFileThatGrowsLosesNoName() throws IOException {
        for (Hostile document : HostileDocuments.ALL) {
            if (document.format() != Format.YAML) {
                continue;
            }
            int length = document.bytes().length;
            for (int end = 0; end < length; end += Math.max(1, length / 40)) {
                write(Arrays.copyOf(document.bytes(), end));
                time.advance(Duration.ofSeconds(1));
                assertTrue(registry.names().names().containsAll(List.of("a", "b")), document.name());
                assertInForce(1);
            }
            write(document.bytes());
            time.advance(Duration.ofSeconds(1));
            assertTrue(registry.names().names().containsAll(names(document)), document.name());
            registry.close();
            start();
        }
    }

    @Test
    void C2_aFileWithoutANewlineAtItsEndIsRefused() throws IOException {
        write(Arrays.copyOf(document(55), document(55).length - 1));
        time.advance(Duration.ofSeconds(1));
        assertEquals(
                "must end with a newline: it may be half of a document",
                ((Refused) events.get(0)).problems().get(0).rule());
        assertOneReport(Refused.class, "no newline");
        write(document(55));
        time.advance(Duration.ofSeconds(1));
        assertInForce(55);
    }

    private static List<String> names(Hostile document) {
        Map<?, ?> tree = (Map<?, ?>) HostileDocuments.yaml(new String(document.bytes(), StandardCharsets.UTF_8));
        return ((Map<?, ?>) tree.get("limits"))
                .keySet().stream().map(String::valueOf).sorted().toList();
    }

    @Test
    void C6_aRenameIsTakenWithinASecond() throws IOException {
        Path other = directory.resolve("next");
        Files.write(other, document(5));
        Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
        time.advance(Duration.ofSeconds(1));
        assertInstanceOf(Changed.class, events.get(0));
        assertInForce(5);
        assertNotEquals("", registry.status().version());
    }
}
