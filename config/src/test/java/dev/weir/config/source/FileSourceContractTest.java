package dev.weir.config.source;

import dev.weir.config.contract.ConfigSourceContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.io.TempDir;

/** A directory in the place of the file makes it unreadable. */
class FileSourceContractTest extends ConfigSourceContract {
    @TempDir
    Path directory;

    private Path document;

    private Path path() {
        return directory.resolve("limits.yaml");
    }

    private Path current() {
        return document == null ? path() : document;
    }

    @Override
    protected ConfigSource open() {
        return FileSource.of(path());
    }

    @Override
    protected boolean isWhole() {
        return false;
    }

    @Override
    protected void write(byte[] content) throws IOException {
        Path next = Files.write(directory.resolve("next"), content);
        Files.move(next, current(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    protected void delete() throws IOException {
        Files.delete(current());
    }

    @Override
    protected boolean disconnects() {
        return true;
    }

    @Override
    protected void disconnect() throws IOException {
        document = directory.resolve("aside");
        if (Files.exists(path())) {
            Files.move(path(), document);
        }
        Files.createDirectory(path());
    }

    @Override
    protected void reconnect() throws IOException {
        Files.delete(path());
        if (Files.exists(document)) {
            Files.move(document, path());
        }
        document = null;
    }
}
