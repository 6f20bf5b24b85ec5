package dev.weir.config;

import dev.weir.config.source.FileSource;
import java.io.IOException;
import java.nio.file.Path;

/** An application that starts with the limits of a file, or without an argument with nothing, and then waits for its end. */
final class StartProcess {
    private StartProcess() {}

    public static void main(String[] args) throws IOException {
        if (args.length > 0) {
            LimiterRegistry registry = LimiterRegistry.of(FileSource.of(Path.of(args[0])));
            registry.limiter("checkout").run(() -> {});
            registry.limiter("search").run(() -> {});
        }
        System.out.println("started");
        int ended = System.in.read();
        System.exit(ended < 0 ? 0 : 1);
    }
}
