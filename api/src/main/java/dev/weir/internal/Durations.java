package dev.weir.internal;

import java.time.Duration;
import java.util.Objects;

/** Checks of durations that users pass. */
public final class Durations {
    private Durations() {}

    /** The duration itself. Throws an {@code IllegalArgumentException} if it is not more than 0. */
    public static Duration positive(String name, Duration duration) {
        Objects.requireNonNull(duration, name);
        Require.that(!duration.isNegative() && !duration.isZero(), name + " must be > 0", duration);
        return duration;
    }

    /** The duration in nanoseconds. Throws an {@code IllegalArgumentException} if it is not 1 ns to 292 years. */
    public static long nanos(String name, Duration duration) {
        try {
            return positive(name, duration).toNanos();
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(name + " must be <= 292 years, was " + duration, e);
        }
    }
}
