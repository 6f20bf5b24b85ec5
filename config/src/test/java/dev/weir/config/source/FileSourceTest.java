package dev.weir.config.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSourceTest {
    @TempDir
    Path directory;

    private Path file;
    private FileSource source;

    @BeforeEach
    void open() throws IOException {
        directory = directory.toRealPath();
        file = directory.resolve("limits.yaml");
        source = FileSource.of(file);
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
    void aFileIsReadEverySecondAndIsNeverKnownToBeWhole() throws IOException {
        assertEquals(Duration.ofSeconds(1), source.readEvery());
        assertTrue(source.isLocal());
        rename("a");
        assertEquals("a?", text(source.read()));
        FileTime modified = Files.getLastModifiedTime(file);
        Files.write(file, bytes("b"));
        Files.setLastModifiedTime(file, modified);
        assertEquals("b?", text(source.read()), "of the same size and time");
        Files.delete(file);
        assertTrue(source.read().isAbsent());
        assertEquals(
                Duration.ofMillis(200),
                FileSource.of(file, Duration.ofMillis(200)).readEvery());
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
    void argumentsAreChecked() {
        assertThrows(IllegalArgumentException.class, () -> FileSource.of(file, Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> FileSource.of(file, Duration.ofDays(2)));
        assertEquals("file:" + file, source.name());
        assertEquals(source.name(), source.toString());
    }

    /** As Kubernetes mounts a document, and replaces it. */
    @Test
    void C6_theLinkThatKubernetesReplacesIsFollowed() throws IOException {
        mount("..1", "a");
        Files.createSymbolicLink(directory.resolve("..data"), Path.of("..1"));
        Files.createSymbolicLink(file, Path.of("..data/limits.yaml"));
        assertEquals("a?", text(source.read()));
        mount("..2", "b");
        Files.createSymbolicLink(directory.resolve("..data_tmp"), Path.of("..2"));
        Files.move(directory.resolve("..data_tmp"), directory.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
        assertEquals("b?", text(source.read()));
        Files.write(directory.resolve("..2/limits.yaml"), bytes("c"));
        assertEquals("c?", text(source.read()));
    }

    private void mount(String name, String content) throws IOException {
        Files.write(Files.createDirectory(directory.resolve(name)).resolve("limits.yaml"), bytes(content));
    }

    @Test
    void aDirectoryThatIsMadeAgainIsReadAgain() throws IOException {
        Path inner = Files.createDirectory(directory.resolve("inner"));
        try (FileSource within = FileSource.of(inner.resolve("limits.yaml"))) {
            Files.delete(inner);
            assertTrue(within.read().isAbsent());
            Files.createDirectory(inner);
            assertTrue(within.read().isAbsent());
            Files.write(inner.resolve("limits.yaml"), bytes("a"));
            assertEquals("a?", text(within.read()));
        }
    }
}
