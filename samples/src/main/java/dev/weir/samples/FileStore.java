package dev.weir.samples;

import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.FileSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A document in a file, in a directory that is removed when the process ends. */
final class FileStore implements DocumentStore {
    private final Path directory = Files.createTempDirectory("weir");
    private final Path file = directory.resolve("limits.yaml");

    FileStore() throws IOException {
        directory.toFile().deleteOnExit();
        file.toFile().deleteOnExit();
    }

    Path file() {
        return file;
    }

    @Override
    public ConfigSource source() {
        return FileSource.of(file);
    }

    /** Writes another file and renames it, so that nobody reads half of it. */
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
}
