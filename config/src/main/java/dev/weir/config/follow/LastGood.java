package dev.weir.config.follow;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.weir.config.document.Format;
import dev.weir.config.source.Reading;
import dev.weir.internal.AtomicFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * A file with the last documents of one source that were put in force, oldest first: the last one, and before it those that it
 * needs, because it is wrong in part. Only its owner may read it, because values may be secrets. Written by one thread at a time.
 */
final class LastGood {
    static final int MAX_DOCUMENTS = 8;

    /*
     * The first line is `weir-last-good-of <name of the source>`. For each document one line `weir-last-good <format> <length>
     * <SHA-256 of the document>`, then the document.
     */
    private static final String OF = "weir-last-good-of ";
    private static final String MAGIC = "weir-last-good";
    private static final int MAX_NAME = 4096;
    private static final int MAX_BYTES = (MAX_DOCUMENTS + 1) * Reading.MAX_BYTES;

    private final AtomicFile file;
    private final String source;

    LastGood(Path file, String source) {
        this.file = new AtomicFile("lastGood", file, ownersOnly(file));
        String line = source.replaceAll("\\p{Cntrl}", " ");
        this.source = line.substring(0, Math.min(line.length(), MAX_NAME));
    }

    private static FileAttribute<?>[] ownersOnly(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
    }

    /** Empty if there is none yet. Throws if they cannot be read, are damaged, or are those of another source. */
    List<Reading> read() throws IOException {
        if (Files.notExists(file.path(), NOFOLLOW_LINKS)) {
            return List.of();
        }
        if (!Files.isRegularFile(file.path(), NOFOLLOW_LINKS)) {
            throw new IOException("is not a regular file");
        }
        // One character for each byte.
        String all = new String(file.read(MAX_BYTES), ISO_8859_1);
        int end = all.indexOf('\n');
        if (!all.startsWith(OF) || end < 0 || end > 4 * MAX_NAME) {
            throw new IOException("is damaged");
        }
        String name = new String(all.substring(OF.length(), end).getBytes(ISO_8859_1), UTF_8);
        if (!name.equals(source)) {
            throw new IOException("is of another source: \"" + name + "\"");
        }
        List<Reading> documents = new ArrayList<>();
        for (int at = end + 1; at < all.length() || documents.isEmpty(); ) {
            at = document(all, at, documents);
        }
        return documents;
    }

    /** Adds the document at this place, and returns where the next one begins. */
    private static int document(String all, int at, List<Reading> documents) throws IOException {
        int start = all.indexOf('\n', at) + 1;
        String[] words = all.substring(at, Math.max(at, start - 1)).split(" ", -1);
        try {
            int length = words.length == 4 && words[0].equals(MAGIC) ? Integer.parseInt(words[2]) : -1;
            if (length >= 0 && length <= all.length() - start) {
                byte[] document = all.substring(start, start + length).getBytes(ISO_8859_1);
                if (words[3].equals(Offered.digest(document))) {
                    documents.add(Reading.of(document, Format.valueOf(words[1])).whole());
                    return start + length;
                }
            }
        } catch (IllegalArgumentException noNumberOrFormat) {
            throw new IOException("is damaged", noNumberOrFormat);
        }
        throw new IOException("is damaged");
    }

    void write(List<Reading> documents) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes((OF + source + "\n").getBytes(UTF_8));
        for (Reading document : documents) {
            byte[] content = document.content();
            String line = MAGIC + " " + document.format() + " " + content.length + " " + Offered.digest(content) + "\n";
            all.writeBytes(line.getBytes(ISO_8859_1));
            all.writeBytes(content);
        }
        file.write(all.toByteArray());
    }
}
