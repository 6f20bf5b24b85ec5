package dev.weir;

import org.jspecify.annotations.Nullable;

/**
 * What is asked for. Immutable; build one per route and reuse it.
 *
 * @param permits how much, in the limiter's unit, at least 1
 * @param priority how important: 0 is the most important, larger is less, never negative
 * @param key whom it is for, where limits differ by key; null = nobody in particular
 * @param deadlineNanos for how many nanoseconds from the asking the caller still cares, at least 0;
 *     {@link #NO_DEADLINE} = for ever
 */
public record Request(long permits, int priority, @Nullable Object key, long deadlineNanos) {
    /** The deadline of those who wait for ever. */
    public static final long NO_DEADLINE = Long.MAX_VALUE;

    /** One permit, most important, no key, no deadline. */
    public static final Request ONE = new Request(1, 0, null, NO_DEADLINE);

    /** Checks the components. */
    public Request {
        if (permits < 1) {
            throw new IllegalArgumentException("permits must be >= 1, was " + permits);
        }
        if (priority < 0) {
            throw new IllegalArgumentException("priority must be >= 0, was " + priority);
        }
        if (deadlineNanos < 0) {
            throw new IllegalArgumentException("deadlineNanos must be >= 0, was " + deadlineNanos);
        }
    }

    /** So many permits, otherwise as {@link #ONE}. */
    public static Request of(long permits) {
        return permits == 1 ? ONE : new Request(permits, 0, null, NO_DEADLINE);
    }

    /** One permit for a key. */
    public static Request forKey(Object key) {
        return new Request(1, 0, key, NO_DEADLINE);
    }
}
