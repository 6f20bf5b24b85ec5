package dev.weir.spi;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;

/**
 * Hears the story of a limiter, after capacity has moved. Called on the caller's thread, holding no lock; must be
 * thread-safe and quick. What it throws is swallowed and counted: an observer can neither leak a permit nor stop
 * admission.
 */
public interface LimiterObserver {
    /** Whether the permit about to be granted shall be timed; two clock readings are spent if so. */
    default boolean timesNext() {
        return false;
    }

    /** A permit was granted. */
    default void onAdmitted(Request request) {}

    /** A request over the limit was let through, because the limit is not enforced in full; {@link #onAdmitted} follows. */
    default void onPassed(Request request) {}

    /** A request was refused. */
    default void onRejected(Request request, Rejection rejection) {}

    /**
     * A permit came home.
     *
     * @param heldNanos for how long it was out, never negative; -1 if it was not timed
     */
    default void onReleased(Request request, Outcome outcome, long heldNanos) {}

    /** The limit changed; {@code why} names the hand that turned it. */
    default void onLimitChanged(long from, long to, String why) {}

    /** The limiter was closed and the last of its permits is home. Told once. */
    default void onDrained() {}
}
