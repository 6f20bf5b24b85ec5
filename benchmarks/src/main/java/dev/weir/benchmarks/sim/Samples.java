package dev.weir.benchmarks.sim;

import java.util.Arrays;

/** Latencies gathered until they are asked for a quantile, which is exact: the value of the nearest rank. */
final class Samples {
    private long[] values = new long[64];
    private int size;

    void add(long value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, 2 * size);
        }
        values[size++] = value;
    }

    int size() {
        return size;
    }

    /** Asks only when there is a sample. */
    long quantile(double share) {
        Arrays.sort(values, 0, size);
        int rank = (int) Math.ceil(share * size);
        return values[Math.max(1, rank) - 1];
    }

    long min() {
        return quantile(0);
    }

    void clear() {
        size = 0;
    }
}
