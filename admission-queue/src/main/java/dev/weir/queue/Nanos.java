package dev.weir.queue;

import java.time.Duration;

/** What the disciplines ask of the durations they are given. */
final class Nanos {
    /** 73 years: one more of them may be added to any difference of times that a process sees. */
    static final long MOST = 1L << 61;

    private Nanos() {}

    /** The duration in nanoseconds, at least one and at most {@link #MOST}. */
    static long check(String name, Duration value) {
        Duration least = Duration.ofNanos(1);
        Duration most = Duration.ofNanos(MOST);
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(name + " must be >= " + least + " and <= " + most + ", was " + value);
        }
        return value.toNanos();
    }
}
