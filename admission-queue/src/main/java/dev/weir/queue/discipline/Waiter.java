package dev.weir.queue.discipline;

import dev.weir.Request;
import org.jspecify.annotations.Nullable;

/** A request that waits in a queue, as its {@link Discipline} sees it. Used under the queue's lock only. */
public interface Waiter {
    /** The request. */
    Request request();

    /** The time of arrival in nanoseconds of the queue's clock. Compare by difference only. */
    long since();

    /** The position in the order of arrival: greater than that of each waiter that came before, waiting or refused. */
    long sequence();

    /**
     * The time that it waits, in nanoseconds from {@link #since}: the shorter of the caller's timeout and the request's own
     * deadline. {@code Long.MAX_VALUE / 2} or more means without a timeout.
     */
    long timeoutNanos();

    /** The object that the discipline last {@linkplain #attach attached}; null if none. A new discipline may find its predecessor's. */
    @Nullable
    Object attachment();

    /** Keeps one object with the waiter, such as its node in a linked list. */
    void attach(Object attachment);

    /** True if it times out at all. */
    default boolean timesOut() {
        return timeoutNanos() < Long.MAX_VALUE / 2;
    }

    /** Negative if this waiter times out before the other, 0 if both at the same time or never. */
    default int compareDeadline(Waiter other) {
        if (!timesOut() || !other.timesOut()) {
            return Boolean.compare(!timesOut(), !other.timesOut());
        }
        return Long.compare(since() + timeoutNanos() - (other.since() + other.timeoutNanos()), 0);
    }
}
