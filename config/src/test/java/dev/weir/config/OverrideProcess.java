package dev.weir.config;

import dev.weir.config.source.FileSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A process with the limits of a file, in which a test sets one by hand. It reads commands, one a line: {@code set PATCH}; {@code tell},
 * which tells the limit and its specification.
 */
final class OverrideProcess {
    private OverrideProcess() {}

    public static void main(String[] args) throws IOException {
        LimiterRegistry registry = LimiterRegistry.builder()
                .source(FileSource.of(Path.of(args[0]), Duration.ofMillis(50)))
                .lastGood(Path.of(args[1]))
                .onEvent(event -> {})
                .build();
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            if (line.startsWith("set ")) {
                registry.override("a", line.substring(4), Duration.ofHours(1), "ann", "test");
            }
            System.out.println(registry.limiter("a").snapshot().limit() + " "
                    + registry.limiter("a").snapshot().spec());
        }
    }
}
