package dev.weir.benchmarks.sim;

import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;

/**
 * A value that changes at moments.
 *
 * @param at when each value begins to hold, in seconds, the first at 0, in order
 * @param values as many
 */
record Steps(List<Double> at, List<Double> values) {
    Steps {
        if (at == null || values == null) {
            throw new IllegalArgumentException("steps must have at and values");
        }
        if (at.isEmpty() || at.size() != values.size() || at.get(0) != 0) {
            throw new IllegalArgumentException("steps must begin at 0 and have as many values as moments, were " + at);
        }
        for (int i = 1; i < at.size(); i++) {
            if (at.get(i) <= at.get(i - 1)) {
                throw new IllegalArgumentException("steps must be in order, were " + at);
            }
        }
        if (!values.stream().allMatch(Double::isFinite)) {
            throw new IllegalArgumentException("values must be finite, were " + values);
        }
        at = List.copyOf(at);
        values = List.copyOf(values);
    }

    static Steps always(double value) {
        return new Steps(List.of(0.0), List.of(value));
    }

    /** One value, another from one moment to another, then the first again. */
    static Steps between(double usual, double from, double other, double to) {
        return new Steps(List.of(0.0, from, to), List.of(usual, other, usual));
    }

    /** A function of time, held for so many seconds at a time. */
    static Steps every(double seconds, double until, DoubleUnaryOperator value) {
        int count = (int) Math.ceil(until / seconds);
        List<Double> at = IntStream.range(0, count).mapToObj(i -> i * seconds).toList();
        return new Steps(at, at.stream().map(value::applyAsDouble).toList());
    }

    Steps map(DoubleUnaryOperator to) {
        return new Steps(at, values.stream().map(to::applyAsDouble).toList());
    }

    Steps times(double factor) {
        return map(value -> value * factor);
    }

    /** To whole numbers, at least 1. */
    Steps rounded() {
        return map(value -> Math.max(1, Math.rint(value)));
    }

    boolean constant() {
        return values.size() == 1;
    }

    double min() {
        return values.stream().mapToDouble(v -> v).min().orElseThrow();
    }

    double max() {
        return values.stream().mapToDouble(v -> v).max().orElseThrow();
    }

    double value(int index) {
        return values.get(index);
    }

    /** The end of the value of this index, in nanoseconds. */
    long end(int index) {
        return index + 1 < at.size() ? Math.round(at.get(index + 1) * 1e9) : Long.MAX_VALUE;
    }

    /** The value at a moment in nanoseconds, for readers that ask seldom. */
    double at(long nanos) {
        int index = 0;
        while (end(index) <= nanos) {
            index++;
        }
        return values.get(index);
    }
}
