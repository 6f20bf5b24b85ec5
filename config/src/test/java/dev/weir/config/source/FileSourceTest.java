package dev.weir.config.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.weir.testkit.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSourceTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @TempDir
    Path directory;

    private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - 5);
    private final AtomicInteger changes = new AtomicInteger();
    private Path file;
    private FileSource source;

    @BeforeEach
    void open() throws IOException {
        directory = directory.toRealPath();
        file = directory.resolve("limits.yaml");
        source = FileSource.builder(file).ticker(time).build();
    }

    @AfterEach
    void close() {
        source.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private void rename(String content) throws IOException {
        Path next = Files.write(directory.resolve("next"), bytes(content));
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static String text(Reading reading) {
        return new String(reading.content(), UTF_8) + (reading.isWhole() ? "" : "?");
    }

    private String refusal() {
        return assertThrows(IOException.class, source::read).getMessage();
    }

    @Test
    void wholeWhenUnchangedForASecond() throws IOException {
        rename("a");
        assertEquals("a?", text(source.read()));
        assertEquals(SECOND, source.readEvery());
        time.advance(Duration.ofMillis(999));
        assertEquals("a?", text(source.read()));
        assertEquals(Duration.ofMillis(1), source.readEvery());
        time.advance(Duration.ofMillis(1));
        assertEquals("a", text(source.read()));
        assertEquals(SECOND, source.readEvery());
        rename("b");
        assertEquals("b?", text(source.read()));
        time.advance(SECOND);
        assertEquals("b", text(source.read()));
    }

    @Test
    void anEditThatKeepsSizeAndTimeStartsAnotherSecond() throws IOException {
        rename("a: 1");
        FileTime modified = Files.getLastModifiedTime(file);
        source.read();
        time.advance(SECOND);
        Files.write(file, bytes("a: 2"));
        Files.setLastModifiedTime(file, modified);
        assertEquals("a: 2?", text(source.read()));
        time.advance(SECOND);
        assertEquals("a: 2", text(source.read()));
    }

    @Test
    void anotherFileWithTheSameBytesStartsAnotherSecond() throws IOException {
        rename("a");
        source.read();
        time.advance(Duration.ofMillis(600));
        FileTime modified = Files.getLastModifiedTime(file);
        rename("a");
        Files.setLastModifiedTime(file, modified);
        source.read();
        time.advance(Duration.ofMillis(600));
        assertFalse(source.read().isWhole());
    }

    @Test
    void whatWasWholeOnceIsWholeAgain() throws IOException {
        rename("a");
        source.read();
        time.advance(SECOND);
        assertTrue(source.read().isWhole());
        rename("b");
        assertFalse(source.read().isWhole());
        rename("a");
        assertTrue(source.read().isWhole());
    }

    /** The writer adds one byte after the other, and the file is read three times between any two. */
    @Test
    void C2_aDocumentCutAtAnyByteIsNeverWholeWhileItsWriterIsAtWork() throws IOException {
        rename("limits:\n  old: { concurrency: 1 }\n");
        source.read();
        time.advance(SECOND);
        assertTrue(source.read().isWhole());
        StringBuilder text = new StringBuilder("limits:\n");
        for (int i = 0; i < 40; i++) {
            text.append("  name-")
                    .append(i)
                    .append(": { concurrency: ")
                    .append(i)
                    .append(" }\n");
        }
        byte[] document = bytes(text.toString());
        Files.write(file, new byte[0]);
        for (int length = 0; length < document.length; length++) {
            for (int part = 0; part < 3; part++) {
                Reading reading = source.read();
                assertArrayEquals(Arrays.copyOf(document, length), reading.content());
                assertFalse(reading.isWhole(), () -> text(reading));
                time.advance(Duration.ofMillis(333));
            }
            Files.write(file, new byte[] {document[length]}, StandardOpenOption.APPEND);
        }
        assertFalse(source.read().isWhole());
        time.advance(SECOND);
        assertTrue(source.read().isWhole());
    }

    @Test
    void aDirectoryADeviceAndAPipeAreRefused() throws Exception {
        Files.createDirectory(file);
        assertEquals("is a directory: " + file, refusal());
        Files.delete(file);
        Files.createSymbolicLink(file, Path.of("/dev/zero"));
        assertEquals("is not a regular file: /dev/zero", refusal());
        Files.delete(file);
        assertEquals(0, new ProcessBuilder("mkfifo", file.toString()).start().waitFor());
        assertEquals("is not a regular file: " + file, refusal());
        Files.delete(file);
        assertTrue(source.read().isAbsent());
    }

    @Test
    void aFileOfMoreThanSixteenMebibytesIsRefused() throws IOException {
        Files.write(file, new byte[16 << 20]);
        assertEquals(16 << 20, source.read().content().length);
        Files.write(file, new byte[(16 << 20) + 1]);
        assertEquals("is larger than 16777216 bytes: " + file, refusal());
    }

    /** Such a file says that it has no bytes. */
    @Test
    void aFileOfUnknownSizeIsReadToItsEnd() throws IOException {
        Path version = Path.of("/proc/version");
        assumeFalse(Files.notExists(version), "no /proc");
        try (FileSource unsized = FileSource.of(version)) {
            assertArrayEquals(Files.readAllBytes(version), unsized.read().content());
        }
    }

    @Test
    void aFileThatMayNotBeReadIsRefused() throws IOException {
        rename("a");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
        assumeFalse(Files.isReadable(file), "root may read all");
        assertEquals("is not allowed to be read: " + file, refusal());
    }

    @Test
    void linksToNothingAreAbsentAndCirclesAreRefused() throws IOException {
        Files.createSymbolicLink(file, Path.of("nothing"));
        assertTrue(source.read().isAbsent());
        Files.delete(file);
        Files.createSymbolicLink(file, file);
        assertThrows(IOException.class, source::read);
    }

    @Test
    void aFileOutsideOfItsRootIsRefused() throws IOException {
        Path root = Files.createDirectories(directory.resolve("root/in"));
        Path secret = Files.write(directory.resolve("secret"), bytes("secret"));
        Files.createSymbolicLink(root.resolve("absolute"), secret);
        Files.createSymbolicLink(root.resolve("relative"), Path.of("../../secret"));
        Files.createSymbolicLink(root.resolve("up"), Path.of(".."));
        Files.write(root.resolve("good"), bytes("good"));
        Files.createSymbolicLink(root.resolve("link"), Path.of("good"));
        for (String name : List.of("../../secret", "absolute", "relative", "up/../secret", "./../in/../../secret")) {
            try (FileSource outside =
                    FileSource.builder(root.resolve(name)).within(root).build()) {
                String message =
                        assertThrows(IOException.class, outside::read, name).getMessage();
                assertTrue(message.startsWith("is outside of " + root), message);
            }
        }
        for (String name : List.of("good", "link", "up/in/good", "../in/link")) {
            try (FileSource inside =
                    FileSource.builder(root.resolve(name)).within(root).build()) {
                assertEquals("good?", text(inside.read()), name);
            }
        }
    }

    @Test
    void argumentsAreChecked() {
        FileSource.Builder builder = FileSource.builder(file);
        assertThrows(IllegalArgumentException.class, () -> builder.readEvery(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> builder.readEvery(Duration.ofDays(2)));
        assertEquals("file:" + file, source.name());
        assertEquals(source.name(), source.toString());
    }

    private void watched() throws IOException {
        source.watch(changes::incrementAndGet);
        source.read();
        changes.set(0);
    }

    private void awaitChange() {
        await().until(() -> changes.get() > 0);
    }

    @Test
    void renamesEditsAndDeletionsAreTold() throws IOException {
        watched();
        rename("a");
        awaitChange();
        source.read();
        changes.set(0);
        Files.write(file, bytes("b"));
        awaitChange();
        source.read();
        changes.set(0);
        Files.delete(file);
        awaitChange();
    }

    /** As Kubernetes mounts a document, and replaces it. */
    @Test
    void C6_theLinkThatKubernetesReplacesIsToldAndFollowed() throws IOException {
        mount("..1", "a");
        Files.createSymbolicLink(directory.resolve("..data"), Path.of("..1"));
        Files.createSymbolicLink(file, Path.of("..data/limits.yaml"));
        watched();
        assertEquals("a?", text(source.read()));
        mount("..2", "b");
        Files.createSymbolicLink(directory.resolve("..data_tmp"), Path.of("..2"));
        Files.move(directory.resolve("..data_tmp"), directory.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
        awaitChange();
        assertEquals("b?", text(source.read()));
        time.advance(SECOND);
        assertEquals("b", text(source.read()));
        changes.set(0);
        Files.write(directory.resolve("..2/limits.yaml"), bytes("c"));
        awaitChange();
    }

    private void mount(String name, String content) throws IOException {
        Files.write(Files.createDirectory(directory.resolve(name)).resolve("limits.yaml"), bytes(content));
    }

    @Test
    void otherFilesOfTheDirectoryAreNotTold() throws IOException {
        watched();
        for (int i = 0; i < 100; i++) {
            Files.write(
                    directory.resolve("log"), bytes("line\n"), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
        rename("a");
        awaitChange();
        assertTrue(changes.get() < 10, changes::toString);
    }

    @Test
    void aDirectoryThatIsMadeAgainIsWatchedAgain() throws IOException {
        Path inner = Files.createDirectory(directory.resolve("inner"));
        try (FileSource within =
                FileSource.builder(inner.resolve("limits.yaml")).ticker(time).build()) {
            within.watch(changes::incrementAndGet);
            assertTrue(within.read().isAbsent());
            Files.delete(inner);
            awaitChange();
            assertTrue(within.read().isAbsent());
            Files.createDirectory(inner);
            assertTrue(within.read().isAbsent());
            changes.set(0);
            Files.write(inner.resolve("limits.yaml"), bytes("a"));
            awaitChange();
            assertEquals("a?", text(within.read()));
        }
    }

    @Test
    void withoutWatchingNothingIsTold() throws IOException {
        try (FileSource polled = FileSource.builder(file)
                .withoutWatching()
                .readEvery(Duration.ofMillis(200))
                .build()) {
            int threads = Thread.activeCount();
            polled.watch(changes::incrementAndGet);
            assertEquals(threads, Thread.activeCount());
            rename("a");
            assertEquals("a?", text(polled.read()));
            assertEquals(Duration.ofMillis(200), polled.readEvery());
        }
        source.close();
        source.watch(changes::incrementAndGet);
        assertEquals("a?", text(source.read()));
    }
}
