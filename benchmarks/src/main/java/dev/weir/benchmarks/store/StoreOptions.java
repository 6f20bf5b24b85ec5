package dev.weir.benchmarks.store;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The options of the command line.
 *
 * @param rows the names of the rows to be run, but for the floor, which always is
 * @param turns of each row that are measured
 * @param millis of a turn that are measured
 * @param keys of the rows with many of them
 * @param report the page that is written; null for none
 */
record StoreOptions(
        Pattern rows,
        int turns,
        int millis,
        int keys,
        @Nullable Path report) {
    private static final Pattern ALL = Pattern.compile(".*");
    private static final int PAUSES_FROM = 500;

    static StoreOptions of(String... arguments) {
        Deque<String> left = new ArrayDeque<>(Arrays.asList(arguments));
        Pattern rows = ALL;
        int turns = 5;
        int millis = 1_000;
        int keys = 10_000;
        Path report = null;
        while (!left.isEmpty()) {
            String argument = left.pop();
            switch (argument) {
                case "--turns" -> turns = number(argument, left);
                case "--millis" -> millis = number(argument, left);
                case "--keys" -> keys = number(argument, left);
                case "--report" -> report = Path.of(value(argument, left));
                default -> rows = Pattern.compile(argument);
            }
        }
        return new StoreOptions(rows, turns, millis, keys, report);
    }

    private static String value(String option, Deque<String> left) {
        if (left.isEmpty()) {
            throw new IllegalArgumentException(option + " needs a value");
        }
        return left.pop();
    }

    private static int number(String option, Deque<String> left) {
        int number = Integer.parseInt(value(option, left));
        if (number < 1) {
            throw new IllegalArgumentException(option + " must be >= 1, was " + number);
        }
        return number;
    }

    /** Short turns are a trial, which does not wait for batches that expire nor for ten blocks of a window. */
    boolean pauses() {
        return millis >= PAUSES_FROM;
    }

    boolean has(StoreRow row) {
        return rows.matcher(row.name()).matches();
    }
}
