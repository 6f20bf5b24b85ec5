package dev.weir.benchmarks.sim;

import java.util.Arrays;

/**
 * One line of a chart.
 *
 * @param atNanos when, ascending
 * @param values what then; one that is not finite leaves a gap
 */
record Series(String name, long[] atNanos, double[] values) {
    Series {
        if (atNanos.length != values.length) {
            throw new IllegalArgumentException(
                    "values must be as many as atNanos, " + atNanos.length + ", was " + values.length);
        }
        atNanos = atNanos.clone();
        values = values.clone();
    }

    /** The greatest finite value; 0 if there is none. */
    double max() {
        return Arrays.stream(values).filter(Double::isFinite).max().orElse(0);
    }
}
