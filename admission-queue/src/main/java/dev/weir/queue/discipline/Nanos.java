package dev.weir.queue.discipline;

import dev.weir.internal.Require;
import java.time.Duration;

/** The range of durations in the specifications of this package. */
final class Nanos {
    /** 73 years: adding one more to any difference of times that a process sees does not overflow. */
    static final long MAX = 1L << 61;

    private Nanos() {}

    /** Throws unless the duration is within 1 ns and {@link #MAX}. */
    static void check(String name, Duration value) {
        Duration min = Duration.ofNanos(1);
        Duration max = Duration.ofNanos(MAX);
        boolean within = value.compareTo(min) >= 0 && value.compareTo(max) <= 0;
        Require.that(within, name + " must be >= " + min + " and <= " + max, value);
    }
}
