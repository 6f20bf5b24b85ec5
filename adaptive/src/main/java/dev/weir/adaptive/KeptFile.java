package dev.weir.adaptive;

import dev.weir.adaptive.KeptReport.Event;
import dev.weir.adaptive.KeptText.Line;
import dev.weir.adaptive.KeptText.Refused;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.List;

/** A file that is replaced as a whole or not at all. */
final class KeptFile {
    /*
     * The new text goes to a file beside, is forced to the disk and then renamed over the old one, so that whoever is
     * killed at any point leaves the old text or the new one. What is left beside is overwritten next time.
     */
    private final Path path;
    private final Path beside;

    KeptFile(Path path) {
        this.path = path.toAbsolutePath();
        this.beside = this.path.resolveSibling(path.getFileName() + ".new");
    }

    Path path() {
        return path;
    }

    /** Not thread-safe. */
    void write(Collection<Line> lines) throws IOException {
        byte[] bytes = KeptText.write(lines);
        if (bytes.length > KeptText.MOST_BYTES) {
            throw new IOException("state must be <= " + KeptText.MOST_BYTES + " bytes, was " + bytes.length);
        }
        try (FileChannel channel = FileChannel.open(
                beside, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer left = ByteBuffer.wrap(bytes);
            while (left.hasRemaining()) {
                channel.write(left);
            }
            channel.force(true);
        }
        Files.move(beside, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    List<Line> read() throws IOException, Refused {
        if (Files.notExists(path)) {
            throw new Refused(Event.ABSENT, "no file yet");
        }
        if (!Files.isRegularFile(path)) {
            throw new Refused(Event.UNREADABLE, "no plain file");
        }
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(KeptText.MOST_BYTES + 1);
            if (bytes.length > KeptText.MOST_BYTES) {
                throw new Refused(Event.TOO_LARGE, "more than " + KeptText.MOST_BYTES + " bytes");
            }
            return KeptText.read(bytes);
        }
    }
}
