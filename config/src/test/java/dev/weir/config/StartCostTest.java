package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The processor time of an application that starts with a registry, over that of one without. */
@Tag("real-time")
class StartCostTest {
    private static final int RUNS = 10;

    /** What an application with weir-config has, and not what tests need. */
    private static final Pattern NEEDED =
            Pattern.compile(".*(classes|/(weir-|caffeine|resilience4j|oshi|jna|snakeyaml|jackson-core|jspecify)[^/]*)");

    private static final Duration MOST = Duration.ofMillis(400);

    @Test
    void aRegistryOfTwoNamesStartsWithFourTenthsOfASecondOfProcessorTime(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(
                directory.resolve("limits.yaml"),
                "limits:\n  checkout: { concurrency: 2 }\n  search: { rate: 10/s }\n");
        Duration without = least(List.of());
        Duration with = least(List.of(file.toString()));
        Duration cost = with.minus(without);
        System.out.println("the first registry costs " + cost.toMillis() + " ms of processor time, an empty JVM "
                + without.toMillis() + " ms");
        assertTrue(cost.compareTo(MOST) <= 0, cost::toString);
    }

    private static Duration least(List<String> arguments) throws Exception {
        Duration least = Duration.ofDays(1);
        for (int run = 0; run < RUNS; run++) {
            Duration spent = spent(arguments);
            least = spent.compareTo(least) < 0 ? spent : least;
        }
        return least;
    }

    private static Duration spent(List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                Stream.of(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                                .split(File.pathSeparator))
                        .filter(each -> NEEDED.matcher(each).matches())
                        .collect(Collectors.joining(File.pathSeparator)),
                StartProcess.class.getName()));
        command.addAll(arguments);
        Process process =
                new ProcessBuilder(command).redirectError(Redirect.DISCARD).start();
        assertEquals("started", process.inputReader().readLine());
        Optional<Duration> spent = process.info().totalCpuDuration();
        process.outputWriter().close();
        process.waitFor();
        assumeTrue(spent.isPresent(), "the system does not tell the processor time of a process");
        return spent.get();
    }
}
