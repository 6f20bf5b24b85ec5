package dev.weir.adaptive.state;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.weir.adaptive.state.SavedStateReport.Event;
import dev.weir.adaptive.state.SavedStateText.Line;
import dev.weir.adaptive.state.SavedStateText.Refused;
import dev.weir.internal.AtomicFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;

/** The lines of a file that is replaced by one process at a time. */
record LockedLines(AtomicFile file) {
    /*
     * Under a lock on `X.lock`, which stays empty, the present text is read and the next one replaces it:
     *
     *     A: locks, reads {a}, writes {a, a2}, unlocks
     *     B: waits ................................... locks, reads {a, a2}, writes {a, a2, b}, unlocks
     *
     * Under the lock no other process writes a new file, so those found are left from killed processes, and deleted. A symbolic
     * link, device or pipe in the place of X or X.lock is not opened.
     */

    Path path() {
        return file.path();
    }

    /** Replaces the lines with the result of {@code change}; a text that is refused counts as no lines. Not thread-safe. */
    void replace(UnaryOperator<Collection<Line>> change) throws IOException, Refused {
        Path lock = file.sibling("lock");
        checkRegular(path());
        checkRegular(lock);
        try (FileChannel channel = FileChannel.open(lock, CREATE, WRITE, NOFOLLOW_LINKS)) {
            channel.lock();
            Collection<Line> lines = change.apply(linesOrNone());
            file.deleteLeftovers();
            file.write(SavedStateText.write(lines));
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

    List<Line> read() throws IOException, Refused {
        Path path = path();
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
        return SavedStateText.read(file.read((int) max));
    }

    /** An eighth of the heap: the limiters of a larger file would need more than the rest. */
    private static long max() {
        return Math.min(Runtime.getRuntime().maxMemory() / 8, Integer.MAX_VALUE - 8);
    }
}
