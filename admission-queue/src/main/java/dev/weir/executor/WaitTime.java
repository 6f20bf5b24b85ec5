package dev.weir.executor;

import dev.weir.Ticker;

/**
 * The time that a thread may block, from a moment on.
 *
 * @param since the reading of {@link Ticker#system} at that moment
 * @param nanos {@code Long.MAX_VALUE} = without an end
 */
record WaitTime(long since, long nanos) {
    static WaitTime of(long nanos) {
        return new WaitTime(Ticker.system().read(), nanos);
    }

    /** The nanoseconds that are left; 0 or less if it is over. */
    long left() {
        return nanos == Long.MAX_VALUE ? nanos : nanos - (Ticker.system().read() - since);
    }
}
