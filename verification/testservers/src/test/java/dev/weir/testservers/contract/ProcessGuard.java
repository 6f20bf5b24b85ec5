package dev.weir.testservers.contract;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/** Kills processes, also stopped ones, when this process ends, however that ends. */
final class ProcessGuard implements AutoCloseable {
    private final Process guard;
    private final Writer pids;

    ProcessGuard() throws IOException {
        guard = new ProcessBuilder("sh", "-c", "while read pid; do all=\"$all $pid\"; done; kill -9 $all").start();
        pids = guard.outputWriter(StandardCharsets.US_ASCII);
    }

    void watch(long pid) throws IOException {
        pids.write(pid + "\n");
        pids.flush();
    }

    /** The processes have ended. */
    @Override
    public void close() {
        guard.destroyForcibly();
    }
}
