package dev.weir.spi;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;

/**
 * A listener to the decisions of a limiter and to the releases of its permits. Each method is called after the permits
 * were taken or returned, on the thread of the caller, without a lock. Implementations must be thread-safe and fast. An
 * exception is ignored and counted: an observer can neither lose a permit nor stop an admission. By default every
 * method does nothing.
 */
public interface LimiterObserver {
    /**
     * Asked before each admission: whether {@link #onReleased} needs to know for how long the permit was held. If so, the
     * clock is read twice for this permit. By default false.
     */
    default boolean timesNext() {
        return false;
    }

    /** A permit was granted. Also called for a request over the limit that was let through, after {@link #onPassed}. */
    default void onAdmitted(Request request) {}

    /** A request over the limit was let through, because the limit is not fully enforced. */
    default void onPassed(Request request) {}

    /** A request was refused. A request that waits in a queue is reported once, when it is refused for good. */
    default void onRejected(Request request, Rejection rejection) {}

    /**
     * A permit was released. Called once for each permit.
     *
     * @param heldNanos for how long the permit was held, never negative; -1 if it was not {@linkplain #timesNext timed}
     */
    default void onReleased(Request request, Outcome outcome, long heldNanos) {}

    /**
     * The limit was changed. The calls are in the order of the changes, one at a time, so the last one tells the limit in
     * force. If several threads change the limit at once, or an observer changes it while it is told, one thread calls for
     * all of them, and a method that changed the limit may return before the call.
     *
     * @param why who changed it: {@code "reconfigured"}, or the text given to {@link
     *     dev.weir.Adjustable#setLimit(long, String)}
     */
    default void onLimitChanged(long from, long to, String why) {}

    /**
     * The limiter was {@linkplain dev.weir.Limiter#suspendFor suspended}, or is so for longer than before. Calls of several threads
     * are in no order. That a suspension has ended is not told.
     *
     * @param nanos for how long from now on, more than 0
     * @param why the text given with it
     */
    default void onSuspended(long nanos, String why) {}

    /** The limiter was closed, and the last of its permits has been released. Called once. */
    default void onDrained() {}
}
