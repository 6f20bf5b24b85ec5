package dev.weir.config;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.config.follow.InstanceName;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.InstanceStatus.Result;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three processes as in containers: each has a pid namespace of its own, and the process id 1. */
@Tag("real-time")
class ContainersTest {
    private static final int PROCESSES = 3;
    private static final int NAMES = 100;

    /** How many of the names are placed below 10 %. */
    private static final int TENTH = 11;

    private static final List<List<String>> WAYS = List.of(
            List.of("unshare", "--fork", "--pid", "--mount-proc", "--kill-child"),
            List.of("unshare", "--user", "--map-root-user", "--fork", "--pid", "--mount-proc", "--kill-child"));

    @TempDir
    Path directory;

    private final List<Process> processes = new ArrayList<>();
    private final List<BufferedReader> answers = new ArrayList<>();

    private static List<String> unshare() throws Exception {
        for (List<String> way : WAYS) {
            try {
                Process tried = new ProcessBuilder(with(way, List.of("true")))
                        .redirectError(Redirect.DISCARD)
                        .start();
                if (tried.waitFor() == 0) {
                    return way;
                }
            } catch (IOException none) {
                // The next way does not work either.
            }
        }
        assumeTrue(false, "unshare makes no pid namespace here, neither as root nor in a user namespace");
        return List.of();
    }

    private static List<String> with(List<String> before, List<String> command) {
        return Stream.concat(before.stream(), command.stream()).toList();
    }

    @BeforeEach
    void start() throws Exception {
        Files.createDirectory(directory.resolve("rows"));
        List<String> command = with(
                unshare(),
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-XX:-UsePerfData",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        ContainerProcess.class.getName(),
                        directory.toString()));
        for (int i = 0; i < PROCESSES; i++) {
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(Redirect.INHERIT);
            builder.environment().remove("HOSTNAME");
            if (i > 0) {
                builder.environment().put("HOSTNAME", "shop");
            }
            Process process = builder.start();
            processes.add(process);
            answers.add(process.inputReader());
        }
        assertEquals(List.of("1", "1", "1"), tell(i -> "pid"));
    }

    @AfterEach
    void stop() {
        processes.forEach(Process::destroyForcibly);
        processes.forEach(process -> process.onExit().join());
    }

    /** Gives each process a command, and returns their answers. */
    private List<String> tell(IntFunction<String> command) throws IOException {
        for (int i = 0; i < PROCESSES; i++) {
            new PrintStream(processes.get(i).getOutputStream(), true).println(command.apply(i));
        }
        List<String> all = new ArrayList<>();
        for (BufferedReader answer : answers) {
            all.add(answer.readLine());
        }
        return all;
    }

    private static String open(int process) {
        return IntStream.range(0, NAMES)
                .filter(i -> i % PROCESSES == process)
                .mapToObj(i -> "shop-" + i)
                .collect(Collectors.joining(" ", "open ", ""));
    }

    /** The version is the limit, too. */
    private void write(int version, int percent) throws IOException {
        Path next = directory.resolve("next.yaml");
        Files.writeString(
                next,
                "document: { version: " + version + ", percent: " + percent + " }\nlimits: { a: { concurrency: "
                        + version + " } }\n");
        Files.move(next, directory.resolve("limits.yaml"), StandardCopyOption.ATOMIC_MOVE);
    }

    /** The rows once all instances have seen a version, by an instance that only reads them. */
    private List<InstanceStatus> rows(int instances, int version) throws Exception {
        ContainerProcess.Directory source = new ContainerProcess.Directory(directory);
        await().atMost(Duration.ofMinutes(5))
                .until(() -> source.statuses().stream()
                                .filter(row -> row.offered().equals(Integer.toString(version)))
                                .count()
                        == instances);
        return source.statuses();
    }

    /** What each instance runs, by the permits that it grants. */
    private Map<String, String> run() throws IOException {
        Map<String, String> all = new TreeMap<>();
        for (String answer : tell(i -> "run")) {
            for (String each : answer.split(" ")) {
                all.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
            }
        }
        return all;
    }

    private static Set<String> reached(double percent) {
        return IntStream.range(0, NAMES)
                .mapToObj(i -> "shop-" + i)
                .filter(name -> new InstanceName(name, true).place("") < percent)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** A file that may be half of one is held until it has been quiet for a second, also where it is accepted then. */
    private void assertRun(int version, Set<String> reached, int others) {
        Map<String, String> expectedRows = new TreeMap<>();
        Map<String, String> expectedLimits = new TreeMap<>();
        for (int i = 0; i < NAMES; i++) {
            String name = "shop-" + i;
            boolean isReached = reached.contains(name);
            String running = isReached ? "" + version : others == 0 ? "" : "" + others;
            expectedRows.put(name, running + " " + (isReached ? Result.ACCEPTED : Result.HELD));
            expectedLimits.put(name, isReached ? "" + version : "" + others);
        }
        await().atMost(Duration.ofMinutes(5)).untilAsserted(() -> {
            Map<String, String> rows = rows(NAMES, version).stream()
                    .collect(Collectors.toMap(InstanceStatus::instance, row -> row.running() + " " + row.result()));
            assertEquals(expectedRows, new TreeMap<>(rows));
            assertEquals(expectedLimits, run());
        });
    }

    @Test
    void withoutANameEachHasOneOfItsOwnAndAStagedDocumentHasAProblem() throws Exception {
        write(1, 100);
        tell(i -> "open -");
        Set<String> names = new HashSet<>();
        for (InstanceStatus row : rows(PROCESSES, 1)) {
            assertEquals("1", row.running());
            assertEquals(List.of(), row.problems());
            names.add(row.instance());
        }
        assertEquals(PROCESSES, names.size(), names::toString);
        assertEquals(
                2,
                names.stream().filter(name -> name.matches("shop-[0-9a-f]{8}")).count(),
                names::toString);

        write(2, 10);
        for (InstanceStatus row : rows(PROCESSES, 2)) {
            assertTrue(
                    row.problems().stream().anyMatch(problem -> problem.contains("no name that survives restarts")),
                    row::toString);
        }
    }

    @Test
    void tenPercentOfAHundredNamesAreReachedAndThoseThatStartMeanwhileFollow() throws Exception {
        Set<String> reached = reached(10);
        assertEquals(TENTH, reached.size());
        write(1, 100);
        tell(ContainersTest::open);
        assertRun(1, reached(100), 0);
        write(2, 10);
        assertRun(2, reached, 1);

        tell(i -> "close");
        try (Stream<Path> rows = Files.list(directory.resolve("rows"))) {
            for (Path row : rows.toList()) {
                Files.delete(row);
            }
        }
        tell(ContainersTest::open);
        assertRun(2, reached, 0);
        write(3, 100);
        assertRun(3, reached(100), 0);
    }
}
