package dev.weir.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The last lines of a build: the servers that tests had, and how many classes were skipped for want of one. Maven runs it before
 * the first test that needs a server, in Maven's own process; the lines are printed when that process ends.
 */
public final class Report {
    /** What a skipped test says before the name of the program. */
    static final String MISSING = "this machine has no ";

    private static final int DEPTH = 5;

    private Report() {}

    /**
     * Prepares the lines.
     *
     * @param arguments the project's root
     */
    public static void main(String... arguments) {
        Path root = Path.of(arguments[0]);
        FileTime start = FileTime.fromMillis(System.currentTimeMillis());
        String found = Arrays.stream(Server.values())
                .map(server -> server.version()
                        .map(version -> server.program() + " " + version)
                        .orElse("no " + server.program()))
                .collect(Collectors.joining(", "));
        boolean quiet = "error".equals(System.getProperty("org.slf4j.simpleLogger.defaultLogLevel"));
        lines(root, start, found, quiet); // The class path may be closed when the process ends.
        ThreadGroup maven = Thread.currentThread().getThreadGroup().getParent(); // That of the plugin ends with it.
        Runnable print = () -> lines(root, start, found, quiet).forEach(System.out::println);
        Runtime.getRuntime().addShutdownHook(new Thread(maven, print, "last lines of the build"));
    }

    static List<String> lines(Path root, FileTime start, String found, boolean quiet) {
        List<String> lines = new ArrayList<>();
        if (!quiet) {
            lines.add("Servers for tests: " + found);
        }
        for (Server server : Server.values()) {
            long skipped = skipped(root, start, MISSING + server.program() + "\"");
            if (skipped > 0) {
                lines.add(skipped + (skipped == 1 ? " test class was" : " test classes were") + " skipped, because "
                        + MISSING + server.program() + ": ./weir test gets it without root, and runs all tests");
            }
        }
        return lines;
    }

    private static long skipped(Path root, FileTime start, String reason) {
        try (Stream<Path> files = Files.find(root, DEPTH, (file, attributes) -> isReport(file, attributes, start))) {
            return files.filter(file -> contains(file, reason)).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isReport(Path file, BasicFileAttributes attributes, FileTime start) {
        return file.getFileName().toString().startsWith("TEST-")
                && attributes.lastModifiedTime().compareTo(start) >= 0;
    }

    private static boolean contains(Path file, String text) {
        try {
            return Files.readString(file).contains(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
