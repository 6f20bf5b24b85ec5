package dev.weir;

import java.util.Objects;
import java.util.random.RandomGenerator;

/**
 * A refused request: the reason, and the time to try again.
 *
 * @param limiter the name of the limiter that refused
 * @param reason why the request was refused
 * @param retryAfterNanos nanoseconds until the same request could be granted if no other request came; 0 = not known
 * @param limit the limit in force when the request was refused, in the unit of the strategy; 0 = none
 */
public record Rejection(String limiter, Reason reason, long retryAfterNanos, long limit) implements Decision {

    /** The reason of a rejection. */
    public enum Reason {
        /** The rate has no permits left at the moment. */
        RATE,
        /** The limit leaves fewer permits free than the request needs, until others are released. */
        CONCURRENCY,
        /** The queue in front of the limiter is full. */
        QUEUE_FULL,
        /** No permit was granted before the timeout or the deadline. */
        TIMED_OUT,
        /** Refused in favour of more important or newer requests. */
        SHED,
        /** The caller cancelled the request, or the limiter or its queue was closed. */
        CANCELLED,
        /**
         * The limiter cannot grant the request with its present limit, however long it waits: it is for more permits than
         * the limit.
         */
        NEVER,
        /**
         * It could not be decided whether the limit leaves enough permits: what counts them does not answer, or has not given
         * this instance a part of them. It says nothing of the request; another instance might grant it.
         */
        UNAVAILABLE,
        /**
         * The limit counts by key, and the request has no key, or none of the shape that the limit counts by. Another attempt with
         * the same request is useless.
         */
        KEY_MISSING,
        /** The limiter was {@linkplain Limiter#suspendFor suspended}, and the time has not passed. */
        SUSPENDED
    }

    /** @throws IllegalArgumentException if {@code retryAfterNanos < 0} */
    public Rejection {
        Objects.requireNonNull(limiter, "limiter");
        Objects.requireNonNull(reason, "reason");
        if (retryAfterNanos < 0) {
            throw new IllegalArgumentException("retryAfterNanos must be >= 0, was " + retryAfterNanos);
        }
    }

    /**
     * The range in nanoseconds over which callers that were refused together should spread their next attempts: half of
     * {@link #retryAfterNanos}, at least 1 ms; 0 if another attempt is useless ({@link Reason#NEVER},
     * {@link Reason#KEY_MISSING}).
     */
    public long jitterNanos() {
        boolean isUseless = reason == Reason.NEVER || reason == Reason.KEY_MISSING;
        return isUseless ? 0 : Math.max(1_000_000, retryAfterNanos / 2);
    }

    /**
     * The nanoseconds to wait before the next attempt: random, uniformly distributed over
     * {@code [retryAfterNanos, retryAfterNanos + jitterNanos]}; saturates.
     */
    public long jitteredNanos(RandomGenerator random) {
        long wait = retryAfterNanos + random.nextLong(jitterNanos() + 1);
        return wait < 0 ? Long.MAX_VALUE : wait;
    }
}
