package dev.weir.samples;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A process that answers each line with numbers. Its input ends with this process, however that ends. */
final class Child implements AutoCloseable {
    private final Process process;
    private final BufferedReader says;

    /** Starts the main method of this class. */
    Child(Class<?> main, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(args));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        says = process.inputReader();
    }

    long[] ask() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        return Stream.of(answer().split(" ", -1)).mapToLong(Long::parseLong).toArray();
    }

    String answer() throws IOException {
        String line = says.readLine();
        if (line == null) {
            throw new IOException(
                    "a process has ended: " + process.info().commandLine().orElse("unknown"));
        }
        return line;
    }

    /** Ends its input. */
    void end() throws IOException {
        process.getOutputStream().close();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
