package dev.weir;

import java.util.Objects;
import java.util.random.RandomGenerator;

/**
 * A refusal, and when it is worth asking again.
 *
 * @param limiter the name of the limiter that refused
 * @param reason why
 * @param retryAfterNanos nanoseconds until the same request could be granted if nobody else asked; 0 = not known
 * @param limit the limit in force when it refused, in the strategy's own unit; 0 = none
 */
public record Rejection(String limiter, Reason reason, long retryAfterNanos, long limit) implements Decision {

    /** Why a request was refused. */
    public enum Reason {
        /** The rate is spent for now. */
        RATE,
        /** As many are in flight as may be. */
        CONCURRENCY,
        /** The line before the limiter is full. */
        QUEUE_FULL,
        /** The wait ran out. */
        TIMED_OUT,
        /** Given up in favour of more important or younger work. */
        SHED,
        /** The caller, or the limiter's end, took the request back. */
        CANCELLED,
        /** More than the limiter can ever grant. */
        NEVER
    }

    /** Checks the components. */
    public Rejection {
        Objects.requireNonNull(limiter, "limiter");
        Objects.requireNonNull(reason, "reason");
        if (retryAfterNanos < 0) {
            throw new IllegalArgumentException("retryAfterNanos must be >= 0, was " + retryAfterNanos);
        }
    }

    /**
     * The jitter hint: over how many nanoseconds callers refused together should spread their next attempt, so that
     * they do not come back as one herd. Half the wait, at least 1 ms; 0 where asking again is in vain.
     */
    public long jitterNanos() {
        return reason == Reason.NEVER ? 0 : Math.max(1_000_000, retryAfterNanos / 2);
    }

    /** A wait drawn evenly from {@code [retryAfterNanos, retryAfterNanos + jitterNanos]}, saturating. */
    public long jitteredNanos(RandomGenerator random) {
        long wait = retryAfterNanos + random.nextLong(jitterNanos() + 1);
        return wait < 0 ? Long.MAX_VALUE : wait;
    }
}
