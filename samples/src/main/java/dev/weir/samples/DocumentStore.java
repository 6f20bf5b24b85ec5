package dev.weir.samples;

import dev.weir.config.ConfigSource;
import dev.weir.config.FileSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Where the samples keep a document: a place that a source reads, and that a person can change by hand. */
interface DocumentStore extends AutoCloseable {
    /** A new source of the document. */
    ConfigSource source();

    /** Replaces the document. Blocks until it is stored. */
    void write(String document) throws Exception;

    /** What a person does to change the document. */
    String howToChange();

    @Override
    void close();

    /**
     * A new place.
     *
     * @param kind {@code file}, or the name of a server, which is started
     */
    static DocumentStore of(String kind) throws Exception {
        return switch (kind) {
            case "file" -> file();
            default -> throw new IllegalArgumentException("the source must be file, was " + kind);
        };
    }

    /** A file in a directory of its own. Written as a file that others read should be: to another file, then renamed. */
    static DocumentStore file() throws IOException {
        Path directory = Files.createTempDirectory("weir");
        Path file = directory.resolve("limits.yaml");
        directory.toFile().deleteOnExit();
        file.toFile().deleteOnExit();
        return new DocumentStore() {
            @Override
            public ConfigSource source() {
                return FileSource.of(file);
            }

            @Override
            public void write(String document) throws IOException {
                Path next = Files.writeString(directory.resolve("limits.next"), document);
                Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
            }

            @Override
            public String howToChange() {
                return "edit " + file + " while this runs";
            }

            @Override
            public void close() {}
        };
    }
}
