package dev.weir.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The clock of one server, which libfaketime reads from a file each time. Others keep the clock of the machine. */
final class ServerClock {
    private final Path directory;
    private final Path file;

    /** For a server that has this directory. */
    ServerClock(Path directory) {
        this.directory = directory;
        file = directory.resolve("clock");
        set(Duration.ZERO);
    }

    /* The allocator of a Redis asks for the time before libfaketime can answer: it gets the allocator of the C library. */
    Map<String, String> environment() {
        String library = ServerProcess.printed(
                        directory, List.of(Server.FAKETIME.command(), "-f", "+0", "printenv", "LD_PRELOAD"))
                .strip();
        return Map.of(
                "LD_PRELOAD", library + " libc.so.6",
                "FAKETIME_TIMESTAMP_FILE", file.toString(),
                "FAKETIME_NO_CACHE", "1",
                "FAKETIME_DISABLE_SHM", "1",
                "FAKETIME_DONT_FAKE_MONOTONIC", "1");
    }

    /** The file is whole whenever it is read. */
    void set(Duration ahead) {
        try {
            Path next = directory.resolve("clock.next");
            Files.writeString(next, (ahead.isNegative() ? "" : "+") + ahead.toSeconds() + "\n");
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
