package dev.weir.internal;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/** A file that is replaced as a whole or not at all. Not thread-safe. */
public final class AtomicFile {
    /*
     * The next content is written to a new file `X.<UUID>.new`, forced to the disk and renamed to X. A process that is killed at
     * any point leaves the old content or the new one, and at most one `X.<UUID>.new`. A symbolic link in the place of X is not
     * followed, and one with the name of a new file is not overwritten.
     */
    private static final String UUIDS = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

    private final Path path;
    private final FileAttribute<?>[] attributes;

    /**
     * @param what the argument that the path is, for messages
     * @param attributes what each new file is created with, such as permissions
     * @throws IllegalArgumentException if the path has no name, like the root directory
     */
    public AtomicFile(String what, Path path, FileAttribute<?>... attributes) {
        Require.that(path.getFileName() != null, what + " must have a name", path);
        this.path = path.toAbsolutePath();
        this.attributes = attributes.clone();
    }

    public Path path() {
        return path;
    }

    /** The file beside it whose name is longer by a dot and the suffix. */
    public Path sibling(String suffix) {
        return path.resolveSibling(path.getFileName() + "." + suffix);
    }

    /** At most so many bytes, from the beginning. It must be a regular file: another may block. */
    public byte[] read(int most) throws IOException {
        try (InputStream in = Files.newInputStream(path, NOFOLLOW_LINKS)) {
            return in.readNBytes(most);
        }
    }

    public void write(byte[] content) throws IOException {
        Path next = sibling(UUID.randomUUID() + ".new");
        FileChannel created = FileChannel.open(next, Set.of(CREATE_NEW, WRITE), attributes);
        try (created) {
            ByteBuffer left = ByteBuffer.wrap(content);
            while (left.hasRemaining()) {
                created.write(left);
            }
            created.force(true);
        } catch (Throwable t) {
            Files.deleteIfExists(next);
            throw t;
        }
        Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Deletes what killed processes have left, if that is allowed. No other process may write meanwhile. */
    public void deleteLeftovers() {
        Pattern ownNew = Pattern.compile(Pattern.quote(path.getFileName() + ".") + UUIDS + "\\.new");
        DirectoryStream.Filter<Path> leftover = each ->
                ownNew.matcher(each.getFileName().toString()).matches() && Files.isRegularFile(each, NOFOLLOW_LINKS);
        try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(path.resolveSibling(""), leftover)) {
            for (Path each : leftovers) {
                Files.deleteIfExists(each);
            }
        } catch (IOException | DirectoryIteratorException notAllowed) {
            // they do no harm
        }
    }
}
