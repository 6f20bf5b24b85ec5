package dev.weir.config;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.weir.config.document.Format;
import dev.weir.config.source.Reading;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The last document that was put in force, on disk. Written by one thread at a time. */
final class LastGood {
    /*
     * One line `weir-last-good <format> <SHA-256 of the rest>`, then the document. It is written to a new file, forced to the
     * disk and renamed, so a process that is killed at any point leaves the old one or the new one.
     */
    private static final String MAGIC = "weir-last-good";
    private static final int MAX_BYTES = (1 << 20) + 1024;

    private final Path file;

    LastGood(Path file) {
        if (file.getFileName() == null) {
            throw new IllegalArgumentException("lastGood must have a name, was " + file);
        }
        this.file = file.toAbsolutePath();
    }

    /**
     * Empty if there is none yet.
     *
     * @throws IOException if it cannot be read or is damaged
     */
    Optional<Reading> read() throws IOException {
        if (Files.notExists(file, NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        if (!Files.isRegularFile(file, NOFOLLOW_LINKS)) {
            throw new IOException("is not a regular file");
        }
        byte[] all;
        try (InputStream in = Files.newInputStream(file, NOFOLLOW_LINKS)) {
            all = in.readNBytes(MAX_BYTES);
        }
        String line =
                new String(all, StandardCharsets.ISO_8859_1).lines().findFirst().orElse("");
        List<String> words = List.of(line.split(" ", -1));
        byte[] document = Arrays.copyOfRange(all, Math.min(all.length, line.length() + 1), all.length);
        if (words.size() != 3 || !words.get(0).equals(MAGIC) || !words.get(2).equals(digest(document))) {
            throw new IOException("is damaged");
        }
        try {
            return Optional.of(
                    Reading.of(document, Format.valueOf(words.get(1))).whole());
        } catch (IllegalArgumentException noFormat) {
            throw new IOException("is damaged", noFormat);
        }
    }

    void write(byte[] document, Format format) throws IOException {
        byte[] head = (MAGIC + " " + format + " " + digest(document) + "\n").getBytes(StandardCharsets.ISO_8859_1);
        Path next = file.resolveSibling(file.getFileName() + "." + UUID.randomUUID() + ".new");
        try (FileChannel channel = FileChannel.open(next, CREATE_NEW, WRITE)) {
            ByteBuffer left = ByteBuffer.allocate(head.length + document.length)
                    .put(head)
                    .put(document)
                    .flip();
            while (left.hasRemaining()) {
                channel.write(left);
            }
            channel.force(true);
        } catch (Throwable t) {
            Files.deleteIfExists(next);
            throw t;
        }
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    static String digest(byte[] bytes) {
        return HexFormat.of().formatHex(InstanceShare.sha256(bytes));
    }
}
