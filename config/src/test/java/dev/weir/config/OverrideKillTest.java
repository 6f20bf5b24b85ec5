package dev.weir.config;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.algorithms.Semaphore;
import dev.weir.testkit.Seed;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that are killed while a limit is set by hand: the next one has the value of the document. */
@Tag("property")
@Tag("real-time")
class OverrideKillTest {
    private static final int HISTORIES = 3;

    @TempDir
    Path directory;

    private Process started(Path file) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        OverrideProcess.class.getName(),
                        file.toString(),
                        directory.resolve("last-good").toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static void say(Process process, String command) throws IOException {
        BufferedWriter commands = process.outputWriter();
        commands.write(command + "\n");
        commands.flush();
    }

    private static String answer(Process process, String command) {
        try {
            say(process, command);
            return process.inputReader().readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String inForce(int limit) {
        return limit + " " + new Semaphore(limit);
    }

    private void written(Path file, int limit) throws IOException {
        Path next = Files.writeString(directory.resolve("next"), "limits: { a: { concurrency: " + limit + " } }\n");
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /* The last of the commands may have had no effect yet, half of it, or all. */
    private void killed(Path file, SplittableRandom random) throws Exception {
        int limit = 1 + random.nextInt(20);
        written(file, limit);
        Process first = started(file);
        try {
            assertEquals(inForce(limit), answer(first, "tell"));
            assertEquals(inForce(30), answer(first, "set concurrency: 30"));
            if (random.nextBoolean()) {
                limit = 1 + random.nextInt(20);
                written(file, limit);
            }
            say(first, "set concurrency: " + (31 + random.nextInt(9)));
        } finally {
            first.destroyForcibly().waitFor();
        }
        Process second = started(file);
        try {
            int wanted = limit;
            await().until(() -> answer(second, "tell").equals(inForce(wanted)));
        } finally {
            second.destroyForcibly().waitFor();
        }
    }

    @Test
    void afterAKillTheDocumentsValueIsInForce() {
        Path file = directory.resolve("limits.yaml");
        Seed.forAll(HISTORIES, random -> {
            try {
                killed(file, random);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
