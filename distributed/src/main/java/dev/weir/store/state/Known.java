package dev.weir.store.state;

import java.util.concurrent.TimeUnit;

/**
 * The last answer of the store for a key.
 *
 * @param received the reading of the ticker when it came
 */
record Known(Stored stored, long received) {
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Whether it is recent enough to be built on. */
    boolean isRecent(long now) {
        return now - received < MOST_NANOS;
    }

    /** What the store's clock has reached for certain, if it runs as fast as the ticker: it has read this before the answer came. */
    long micros(long now) {
        return stored.atMicros() + TimeUnit.NANOSECONDS.toMicros(Math.max(0, now - received));
    }
}
