package dev.weir.config.source;

import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * The delays between attempts that fail: one second, doubled up to ten, and up to half of that added at random, so that many
 * instances do not come at the same time. Not thread-safe.
 */
final class RetryDelay {
    /** No two attempts start within this. */
    static final long SHORTEST = TimeUnit.SECONDS.toNanos(1);

    private static final long LONGEST = TimeUnit.SECONDS.toNanos(10);

    private final RandomGenerator random;
    private long base;

    RetryDelay(RandomGenerator random) {
        this.random = random;
    }

    /** The delay in nanoseconds after one more failure. */
    long next() {
        base = base == 0 ? SHORTEST : Math.min(LONGEST, 2 * base);
        return base + random.nextLong(base / 2 + 1);
    }

    /** After a success. */
    void reset() {
        base = 0;
    }

    /** Whether the last attempt failed. */
    boolean isFailing() {
        return base != 0;
    }
}
