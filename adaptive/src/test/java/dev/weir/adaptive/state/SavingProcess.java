package dev.weir.adaptive.state;

import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A process of its own that saves the state of one limiter again and again, with a new limit each time. It prints "open"
 * once it has read the file, then waits for a byte of input; it ends with 0 if every save was made, else with 1.
 */
final class SavingProcess {
    private SavingProcess() {}

    public static void main(String[] args) throws IOException {
        SavedStateFile state = SavedStateFile.at(Path.of(args[0])).open();
        System.out.println("open");
        int first = System.in.read();
        ManagedLimiter limiter = Limiters.of(args[1], new Semaphore(1));
        state.include(limiter);
        boolean saved = first >= 0;
        for (int limit = 1; limit <= Integer.parseInt(args[2]); limit++) {
            limiter.dial().setLimit(limit);
            saved &= state.save();
        }
        System.exit(saved ? 0 : 1);
    }

    /** Starts it; what comes before the class in the command, such as a shell that sets limits, goes first. */
    static Process started(List<String> before, Path file, String limiter, int saves) throws IOException {
        List<String> java = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-cp",
                System.getProperty("java.class.path"),
                SavingProcess.class.getName(),
                file.toString(),
                limiter,
                Integer.toString(saves));
        return new ProcessBuilder(Stream.concat(before.stream(), java.stream()).toList())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Lets a started process that has read the file go on. */
    static void proceed(Process process) throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    /** Waits until it has read the file. */
    static void awaitOpen(Process process) throws IOException {
        String line = process.inputReader().readLine();
        if (!"open".equals(line)) {
            throw new IOException("no process, it said " + line);
        }
    }
}
