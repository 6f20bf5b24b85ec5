package dev.weir.algorithms;

import dev.weir.internal.Require;
import java.time.Duration;

/** Range checks of arguments. Each message names the argument, the rule and the value. */
final class Check {
    /** The largest number of permits of a rate. */
    static final long MAX_PERMITS = 1L << 60;

    /** The longest period in nanoseconds: 73 years. */
    static final long MAX_NANOS = 1L << 61;

    private Check() {}

    static long within(String name, long value, long min, long max) {
        Require.that(value >= min && value <= max, name + " must be >= " + min + " and <= " + max, value);
        return value;
    }

    /** The duration in nanoseconds, at least 1 and at most {@link #MAX_NANOS}. */
    static long nanos(String name, Duration value) {
        return nanos(name, value, 1, MAX_NANOS);
    }

    static long nanos(String name, Duration value, long min, long max) {
        Duration from = Duration.ofNanos(min);
        Duration to = Duration.ofNanos(max);
        boolean isWithin = value.compareTo(from) >= 0 && value.compareTo(to) <= 0;
        Require.that(isWithin, name + " must be >= " + from + " and <= " + to, value);
        return value.toNanos();
    }
}
