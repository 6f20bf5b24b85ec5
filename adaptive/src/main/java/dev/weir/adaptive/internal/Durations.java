package dev.weir.adaptive.internal;

import java.time.Duration;
import java.util.Objects;

/** Checks durations that users pass. */
public final class Durations {
    private Durations() {}

    /**
     * This duration in nanoseconds.
     *
     * @throws IllegalArgumentException if it is not more than 0, or more than a long holds
     */
    public static long nanos(String name, Duration duration) {
        Objects.requireNonNull(duration, name);
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(name + " must be > 0, was " + duration);
        }
        try {
            return duration.toNanos();
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(name + " must be <= 292 years, was " + duration, e);
        }
    }
}
