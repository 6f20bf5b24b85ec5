package dev.weir.benchmarks.store;

import java.time.Duration;
import java.util.stream.IntStream;

/** The number of keys, and the rate of each. */
record Terms(int keys, long permits, Duration period) {
    /** The key with this number, as each contender names it. */
    static String name(int key) {
        return String.format("user-%05d", key);
    }

    String[] names() {
        return IntStream.range(0, keys).mapToObj(Terms::name).toArray(String[]::new);
    }

    /** At least 1. */
    long permitsPerSecond() {
        return Math.max(1, permits / Math.max(1, period.toSeconds()));
    }
}
