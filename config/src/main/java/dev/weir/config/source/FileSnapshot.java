package dev.weir.config.source;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A regular file as it was at one time. */
final class FileSnapshot {
    private final byte[] content;
    private final long size;
    private final FileTime modified;
    private final @Nullable Object key;
    private final boolean changedWhileRead;

    private FileSnapshot(byte[] content, BasicFileAttributes before, BasicFileAttributes after) {
        this.content = content;
        size = after.size();
        modified = after.lastModifiedTime();
        key = after.fileKey();
        changedWhileRead = size != before.size()
                || !modified.equals(before.lastModifiedTime())
                || !Objects.equals(key, before.fileKey());
    }

    /**
     * Reads a file that is no link.
     *
     * @throws java.nio.file.NoSuchFileException if there is none
     * @throws IOException if it is no regular file, larger than this, or cannot be read
     */
    static FileSnapshot of(Path file, int limit) throws IOException {
        BasicFileAttributes before = attributes(file);
        if (!before.isRegularFile()) {
            throw new IOException((before.isDirectory() ? "is a directory: " : "is not a regular file: ") + file);
        }
        refuse(before.size(), limit, file);
        byte[] content;
        try (InputStream bytes = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            content = bytes.readNBytes(limit + 1);
        }
        refuse(content.length, limit, file);
        return new FileSnapshot(content, before, attributes(file));
    }

    private static BasicFileAttributes attributes(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    private static void refuse(long size, int limit, Path file) throws IOException {
        if (size > limit) {
            throw new IOException("is larger than " + limit + " bytes: " + file);
        }
    }

    byte[] content() {
        return content;
    }

    /** Whether neither the bytes nor the file have changed between these two, nor while this was read. */
    boolean isUnchangedSince(FileSnapshot other) {
        return !changedWhileRead
                && size == other.size
                && modified.equals(other.modified)
                && Objects.equals(key, other.key)
                && Arrays.equals(content, other.content);
    }
}
