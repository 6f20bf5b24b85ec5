package dev.weir.adaptive.state;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.weir.adaptive.state.SavedStateReport.Event;
import dev.weir.adaptive.state.SavedStateText.Line;
import dev.weir.adaptive.state.SavedStateText.Refused;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/** A file that is replaced as a whole or not at all, by one process at a time. */
final class AtomicFile {
    /*
     * Under a lock on `X.lock`, which stays empty, the present text is read, and the next one is written to a new file
     * `X.<UUID>.new`, forced to the disk and renamed to X:
     *
     *     A: locks, reads {a}, writes {a, a2}, renames, unlocks
     *     B: waits ......................................... locks, reads {a, a2}, writes {a, a2, b}, renames, unlocks
     *
     * A process that is killed at any point leaves the old text or the new one, and at most one `X.<UUID>.new`. Under the
     * lock no other process writes one, so those found are left from killed processes, and deleted. A symbolic link, device
     * or pipe in the place of X or X.lock is not opened, and one with the name of a new file is not overwritten.
     */
    private static final String UUIDS = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

    private final Path path;
    private final Path lock;
    private final Pattern ownNew;

    AtomicFile(Path path) {
        if (path.getFileName() == null) {
            throw new IllegalArgumentException("file must have a name, was " + path);
        }
        this.path = path.toAbsolutePath();
        this.lock = sibling("lock");
        this.ownNew = Pattern.compile(Pattern.quote(this.path.getFileName() + ".") + UUIDS + "\\.new");
    }

    private Path sibling(String suffix) {
        return path.resolveSibling(path.getFileName() + "." + suffix);
    }

    Path path() {
        return path;
    }

    /** Replaces the lines with the result of {@code change}; a text that is refused counts as no lines. Not thread-safe. */
    void replace(UnaryOperator<Collection<Line>> change) throws IOException, Refused {
        checkRegular(path);
        checkRegular(lock);
        try (FileChannel channel = FileChannel.open(lock, CREATE, WRITE, NOFOLLOW_LINKS)) {
            channel.lock();
            Collection<Line> lines = change.apply(linesOrNone());
            deleteLeftovers();
            write(SavedStateText.write(lines));
        }
    }

    private static void checkRegular(Path file) throws Refused {
        if (Files.exists(file, NOFOLLOW_LINKS) && !Files.isRegularFile(file, NOFOLLOW_LINKS)) {
            throw new Refused(Event.UNREADABLE, file + " is not a regular file");
        }
    }

    private List<Line> linesOrNone() throws IOException, Refused {
        try {
            return read();
        } catch (Refused e) {
            if (e.event == Event.UNREADABLE) {
                throw e;
            }
            return List.of();
        }
    }

    private void deleteLeftovers() {
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

    private void write(byte[] bytes) throws IOException {
        Path next = sibling(UUID.randomUUID() + ".new");
        FileChannel created = FileChannel.open(next, CREATE_NEW, WRITE);
        try (created) {
            ByteBuffer left = ByteBuffer.wrap(bytes);
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

    List<Line> read() throws IOException, Refused {
        if (Files.notExists(path, NOFOLLOW_LINKS)) {
            throw Files.isDirectory(path.resolveSibling(""))
                    ? new Refused(Event.ABSENT, "no file yet")
                    : new Refused(Event.UNREADABLE, "no directory for " + path);
        }
        checkRegular(path);
        long max = max();
        if (Files.size(path) > max) {
            throw new Refused(Event.TOO_LARGE, "more than " + max + " bytes");
        }
        try (InputStream in = Files.newInputStream(path, NOFOLLOW_LINKS)) {
            return SavedStateText.read(in.readNBytes((int) max));
        }
    }

    /** An eighth of the heap: the limiters of a larger file would need more than the rest. */
    private static long max() {
        return Math.min(Runtime.getRuntime().maxMemory() / 8, Integer.MAX_VALUE - 8);
    }
}
