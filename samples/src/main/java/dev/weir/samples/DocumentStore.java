package dev.weir.samples;

import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.FileSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A place that a source reads a document from, and that a person can change by hand: a file, in a directory that is removed when the
 * process ends. At a server, the file is what a person edits and sends.
 */
class DocumentStore implements AutoCloseable {
    private final Path directory = Files.createTempDirectory("weir");
    private final Path file = directory.resolve("limits.yaml");

    DocumentStore() throws IOException {
        directory.toFile().deleteOnExit();
        file.toFile().deleteOnExit();
    }

    /**
     * A new place.
     *
     * @param kind {@code file}, or the name of a server, which is started, and ends when the store is closed
     */
    static DocumentStore of(String kind) throws Exception {
        return switch (kind) {
            case "file" -> new DocumentStore();
            case "zookeeper" -> new ZooKeeperStore();
            case "etcd" -> new EtcdStore();
            case "redis" -> new RedisStore();
            default ->
                throw new IllegalArgumentException("the source must be file, zookeeper, etcd or redis, was " + kind);
        };
    }

    final Path file() {
        return file;
    }

    /** A new source of the document. */
    ConfigSource source() {
        return FileSource.of(file);
    }

    /** Replaces the document. Blocks until it is stored. */
    void write(String document) throws Exception {
        // Another file, which is renamed, so that nobody reads half of it.
        Path next = Files.writeString(directory.resolve("limits.next"), document);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Tells a person the way to change the document. */
    String howToChange() {
        return "edit " + file + " while this runs";
    }

    @Override
    public void close() {}
}
