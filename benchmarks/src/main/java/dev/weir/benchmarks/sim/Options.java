package dev.weir.benchmarks.sim;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The options of the command line. */
final class Options {
    List<Long> seeds = List.of(1L, 2L, 3L);
    Predicate<String> scenario = name -> true;

    @Nullable
    Predicate<String> algorithm;

    @Nullable
    Path scenarioFile;

    List<ScenarioSet> sets = List.of(ScenarioSet.SUITE);

    @Nullable
    List<String> controllers;

    @Nullable
    List<String> queues;

    @Nullable
    Path csv;

    @Nullable
    Path oracles;

    /** The most that the clock of each instance is wrong by, in milliseconds. */
    long clocks = Weir.CLOCKS;

    List<Long> starts = List.of(Weir.FIRST);

    @Nullable
    String chart;

    Path out = Path.of("benchmarks/target");

    @Nullable
    Path report;

    int threads = Runtime.getRuntime().availableProcessors();
    boolean help;

    /** @throws IllegalArgumentException saying which argument is wrong */
    static Options of(String... args) {
        Options options = new Options();
        Deque<String> left = new ArrayDeque<>(Arrays.asList(args));
        while (!left.isEmpty()) {
            options.take(left.remove(), left);
        }
        if (!options.sets.equals(List.of(ScenarioSet.SUITE)) && options.scenarioFile != null) {
            throw new IllegalArgumentException("--set is of the built-in scenarios: not with --scenario-file");
        }
        return options;
    }

    private void take(String name, Deque<String> left) {
        switch (name) {
            case "--help", "-h" -> help = true;
            case "--variants" -> sets = List.of(ScenarioSet.VARIANTS);
            case "--set" ->
                sets = listed(value(name, left))
                        .map(ScenarioSet::called)
                        .distinct()
                        .toList();
            case "--controller" -> controllers = among(name, value(name, left), Ours.controllers());
            case "--queue" -> queues = among(name, value(name, left), Ours.queues());
            case "--oracles" -> oracles = Path.of(value(name, left));
            case "--clocks" -> clocks = number(name, value(name, left), 0, 60_000);
            case "--csv" -> csv = Path.of(value(name, left));
            case "--seed" -> seeds = numbers(name, value(name, left), Long.MIN_VALUE, Long.MAX_VALUE);
            case "--start" -> starts = numbers(name, value(name, left), 1, 10_000);
            case "--scenario" -> scenario = names(name, value(name, left));
            case "--algorithm" -> algorithm = names(name, value(name, left));
            case "--scenario-file" -> scenarioFile = Path.of(value(name, left));
            case "--chart" -> chart = value(name, left);
            case "--out" -> out = Path.of(value(name, left));
            case "--report" -> report = Path.of(value(name, left));
            case "--threads" -> threads = (int) number(name, value(name, left), 1, 1024);
            default -> throw new IllegalArgumentException("unknown argument " + name);
        }
    }

    private static String value(String name, Deque<String> left) {
        if (left.isEmpty() || left.peek().startsWith("--")) {
            throw new IllegalArgumentException(name + " needs a value");
        }
        return left.remove();
    }

    private static Stream<String> listed(String text) {
        return Arrays.stream(text.split(",", -1)).map(String::strip);
    }

    private static List<String> among(String name, String text, List<String> known) {
        List<String> chosen = listed(text).distinct().toList();
        if (!known.containsAll(chosen)) {
            throw new IllegalArgumentException(name + " must be of " + known + ", was " + text);
        }
        return chosen;
    }

    /** Ours, as asked for. */
    List<Contender> ours() {
        return Ours.of(
                controllers == null ? Ours.USUAL_CONTROLLERS : controllers,
                queues == null ? Ours.USUAL_QUEUES : queues,
                starts,
                clocks);
    }

    /** True if ours are to be seen without the peers. */
    boolean oursAlone() {
        return controllers != null || queues != null;
    }

    private static List<Long> numbers(String name, String text, long min, long max) {
        return listed(text).map(each -> number(name, each, min, max)).distinct().toList();
    }

    private static long number(String name, String text, long min, long max) {
        try {
            long number = Long.parseLong(text);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new IllegalArgumentException(name + " must be a whole number within " + min + " and " + max + ", was "
                + (text.isEmpty() ? "empty" : text));
    }

    /* Or the very name, so that nobody has to escape the plus of weir+queue. */
    private static Predicate<String> names(String name, String regex) {
        try {
            Predicate<String> found = Pattern.compile(regex).asPredicate();
            return found.or(regex::equals);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(name + " must be a regular expression, was " + regex, e);
        }
    }
}
