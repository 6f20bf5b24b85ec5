package dev.weir.adaptive.internal;

import java.time.Duration;
import java.util.Objects;

/** Durations where they come in. */
public final class Durations {
    private Durations() {}

    /** In nanoseconds: at least 1, at most what a long holds. */
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
