package dev.weir.queue.discipline;

import java.time.Duration;

/** The range of durations in the specifications of this package. */
final class Nanos {
    /** 73 years: adding one more to any difference of times that a process sees does not overflow. */
    static final long MAX = 1L << 61;

    private Nanos() {}

    /** The duration in nanoseconds; throws unless it is within 1 and {@link #MAX}. */
    static long check(String name, Duration value) {
        Duration min = Duration.ofNanos(1);
        Duration max = Duration.ofNanos(MAX);
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(name + " must be >= " + min + " and <= " + max + ", was " + value);
        }
        return value.toNanos();
    }
}
