package dev.weir.benchmarks.store;

import java.time.Duration;

/** The number of keys, and the rate of each. */
record Terms(int keys, long permits, Duration period) {
    /** The key with this number, as each contender names it. */
    static String name(int key) {
        return String.format("user-%05d", key);
    }

    String[] names() {
        String[] names = new String[keys];
        for (int i = 0; i < keys; i++) {
            names[i] = name(i);
        }
        return names;
    }

    /** At least 1. */
    long permitsPerSecond() {
        return Math.max(1, permits / Math.max(1, period.toSeconds()));
    }
}
