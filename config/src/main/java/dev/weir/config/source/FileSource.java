package dev.weir.config.source;

import dev.weir.config.document.Format;
import dev.weir.internal.Require;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;

/**
 * A document in a file, which may be replaced by a rename, edited in place, or mounted by Kubernetes. The file is read every
 * second. Because it may be read while it is written, YAML that is not in braces must end with a newline.
 *
 * <p>Links are followed. What is not a regular file, or larger than 16 MiB, cannot be read; a file that does not exist is no
 * document. Thread-safe.
 */
public final class FileSource implements ConfigSource {
    private final Path path;
    private final Format format;
    private final Duration interval;

    private FileSource(Path path, Duration interval) {
        this.path = path.toAbsolutePath();
        this.format = Format.of(String.valueOf(path.getFileName()));
        this.interval = interval;
    }

    /** The document in this file, in the format that the name of the file says. */
    public static FileSource of(Path path) {
        return of(path, Duration.ofSeconds(1));
    }

    /**
     * The same, read once in this interval.
     *
     * @param interval more than 0, at most a day
     * @throws IllegalArgumentException if it is not
     */
    public static FileSource of(Path path, Duration interval) {
        boolean isInterval = interval.compareTo(Duration.ZERO) > 0 && interval.compareTo(Duration.ofDays(1)) <= 0;
        Require.that(isInterval, "interval must be > 0 and at most a day", interval);
        return new FileSource(path, interval);
    }

    @Override
    public String name() {
        return "file:" + path;
    }

    @Override
    public boolean isLocal() {
        return true;
    }

    @Override
    public Duration readEvery() {
        return interval;
    }

    @Override
    public Reading read() throws IOException {
        try {
            return Reading.of(content(path.toRealPath()), format);
        } catch (NoSuchFileException e) {
            return Reading.absent();
        } catch (AccessDeniedException e) {
            throw new IOException("is not allowed to be read: " + path, e);
        }
    }

    /** Reads a file that is no link. */
    private static byte[] content(Path file) throws IOException {
        BasicFileAttributes attributes =
                Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isRegularFile()) {
            throw new IOException((attributes.isDirectory() ? "is a directory: " : "is not a regular file: ") + file);
        }
        checkSize(attributes.size(), file);
        try (InputStream bytes = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            byte[] content = bytes.readNBytes(Reading.MAX_BYTES + 1);
            checkSize(content.length, file);
            return content;
        }
    }

    private static void checkSize(long size, Path file) throws IOException {
        if (size > Reading.MAX_BYTES) {
            throw new IOException("is larger than " + Reading.MAX_BYTES + " bytes: " + file);
        }
    }

    @Override
    public void close() {}

    @Override
    public String toString() {
        return name();
    }
}
