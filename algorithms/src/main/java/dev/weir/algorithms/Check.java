package dev.weir.algorithms;

import java.time.Duration;

/** The rules that arguments share; each message names the argument, the rule and the value. */
final class Check {
    /** The largest count of permits a rate can be asked for. */
    static final long MOST = 1L << 60;

    /** The longest period, 73 years. */
    static final long LONGEST = 1L << 61;

    private Check() {}

    static long within(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " must be >= " + least + " and <= " + most + ", was " + value);
        }
        return value;
    }

    /** The duration in nanoseconds, at least one and at most {@link #LONGEST}. */
    static long nanos(String name, Duration value) {
        return nanos(name, value, 1, LONGEST);
    }

    /** The duration in nanoseconds, if it is that many. */
    static long nanos(String name, Duration value, long least, long most) {
        Duration from = Duration.ofNanos(least);
        Duration to = Duration.ofNanos(most);
        if (value.compareTo(from) < 0 || value.compareTo(to) > 0) {
            throw new IllegalArgumentException(name + " must be >= " + from + " and <= " + to + ", was " + value);
        }
        return value.toNanos();
    }
}
