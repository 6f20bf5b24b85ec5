package dev.weir.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs the rows whose name the first argument, a regular expression, is found in, prints every score, and writes the
 * comparison to {@code target/compare.json} beside the classes. Ends with an exception if any benchmark fails.
 */
public final class Compare {
    /*
     * Ours, the peers and the floors of a row take turns, and each gets a fresh machine every turn, so that an unlucky
     * compilation does not fall on one of them alone. Iterations are short and many: one that another process cut into
     * is an outlier the median passes over, where in a long one every process would leave its mark. Where threads sleep
     * the waking alone takes so long that iterations are longer, and so is the way to compiled code.
     *
     * The heap of a machine is fixed and touched before: otherwise the first touch of each page is a cost of those that
     * allocate. A million keys take 300 MB. Where threads sleep, a peer keeps the timer of each future for an hour, up
     * to 1 GB in a turn.
     *
     * Where one thread works and never sleeps, CPU time is compared: another process that takes the processor adds to the
     * time that passes, not to that. It leaves out the collector, whose work is seen in the bytes. Two threads are compared
     * by the time that passes, because what they wait for is each other.
     */
    private static final int TURNS = 3;
    private static final int WARMUPS = 3;
    private static final TimeValue WARMUP = TimeValue.milliseconds(200);
    private static final int ITERATIONS = 80;
    private static final TimeValue ITERATION = TimeValue.milliseconds(5);
    private static final String HEAP = "1g";
    private static final TimeValue SLEEPY_WARMUP = TimeValue.milliseconds(1500);
    private static final int SLEEPY_ITERATIONS = 10;
    private static final TimeValue SLEEPY_ITERATION = TimeValue.milliseconds(150);
    private static final String SLEEPY_HEAP = "3g";

    private final PrintStream out = System.out;
    private final List<Comparison> comparisons = new ArrayList<>();

    private Compare() {}

    public static void main(String... args) throws RunnerException, IOException {
        Pattern pattern = Pattern.compile(args.length == 0 ? "" : args[0]);
        List<Row> rows = Row.ALL.stream()
                .filter(row -> pattern.matcher(row.work()).find())
                .toList();
        if (rows.isEmpty()) {
            throw new IllegalArgumentException("no row matches " + pattern + ", of "
                    + Row.ALL.stream().map(Row::work).toList());
        }
        Compare compare = new Compare();
        for (List<Row> sharing : sharingBenchmarks(rows)) {
            for (int threads : sharing.get(0).threads()) {
                compare.run(sharing, threads);
            }
        }
        compare.out.printf("%n%s", PageTable.of(compare.comparisons));
        compare.write(Path.of(System.getProperty("weir.compare", "benchmarks/target/compare.json")));
    }

    private static Collection<List<Row>> sharingBenchmarks(List<Row> rows) {
        return rows.stream()
                .collect(Collectors.groupingBy(
                        row -> List.of(row.benchmarks().getName(), row.setting()),
                        LinkedHashMap::new,
                        Collectors.toList()))
                .values();
    }

    private void run(List<Row> rows, int threads) throws RunnerException {
        Map<String, List<IterationResult>> iterations = new TreeMap<>();
        for (int turn = 0; turn < TURNS; turn++) {
            for (RunResult result : new Runner(options(rows.get(0), threads)).run()) {
                String label = result.getParams().getBenchmark();
                iterations
                        .computeIfAbsent(label.substring(label.lastIndexOf('.') + 1), method -> new ArrayList<>())
                        .addAll(result.getAggregatedResult().getIterationResults());
            }
        }
        List<Score> scores = iterations.entrySet().stream()
                .map(entry -> Score.of(entry.getKey(), entry.getValue()))
                .sorted(Comparator.comparingDouble(Score::wall))
                .toList();
        for (Row row : rows) {
            print(row, threads, scores);
            comparisons.add(Comparison.of(row, threads, scores));
        }
    }

    static Options options(Row row, int threads) {
        String heap = row.sleeps() ? SLEEPY_HEAP : HEAP;
        return new OptionsBuilder()
                .include("^" + Pattern.quote(row.benchmarks().getName()) + "\\.")
                .mode(Mode.AverageTime)
                .timeUnit(TimeUnit.NANOSECONDS)
                .threads(threads)
                .forks(1)
                .warmupIterations(WARMUPS)
                .warmupTime(row.sleeps() ? SLEEPY_WARMUP : WARMUP)
                .measurementIterations(row.sleeps() ? SLEEPY_ITERATIONS : ITERATIONS)
                .measurementTime(row.sleeps() ? SLEEPY_ITERATION : ITERATION)
                .addProfiler(GCProfiler.class)
                .addProfiler(CpuTime.class)
                .jvmArgsAppend(
                        "-Xms" + heap,
                        "-Xmx" + heap,
                        "-XX:+AlwaysPreTouch",
                        "-D" + Mixed.ALONE + "=" + row.isAlone(),
                        "-Dcsp.sentinel.log.dir=" + System.getProperty("java.io.tmpdir"))
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .build();
    }

    private void print(Row row, int threads, List<Score> scores) {
        out.printf("%n%s, %d thread%s%n", row.work(), threads, threads == 1 ? "" : "s");
        for (Score score : scores) {
            out.printf(
                    "  %-20s %9.1f ns  ±%8.1f  %9.1f ns of CPU  %7.1f B%n",
                    score.method(), score.wall(), score.error(), score.cpu(), score.bytes());
        }
        out.flush();
    }

    private void write(Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(
                file,
                comparisons.stream().map(Comparison::json).collect(Collectors.joining(",\n  ", "[\n  ", "\n]\n")));
        OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
        out.printf(
                "%nwritten to %s; load average %.1f on %d processors: rows of more than one thread tell nothing where others keep one busy%n",
                file, system.getSystemLoadAverage(), system.getAvailableProcessors());
    }
}
