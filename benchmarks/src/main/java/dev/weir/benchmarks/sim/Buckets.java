package dev.weir.benchmarks.sim;

import java.util.Arrays;

/** A rolling window of buckets, each with how many requests ended in it and how long they took together. */
final class Buckets {
    private final long width;
    private final long[] numbers;
    private final long[] ended;
    private final double[] millis;

    private long seen = -1;
    private long max;
    private double minMean;

    Buckets(int count, long width) {
        this.width = width;
        numbers = new long[count];
        Arrays.fill(numbers, -1);
        ended = new long[count];
        millis = new double[count];
    }

    void add(long now, double took) {
        long number = now / width;
        int slot = (int) (number % numbers.length);
        if (numbers[slot] != number) {
            numbers[slot] = number;
            ended[slot] = 0;
            millis[slot] = 0;
        }
        ended[slot]++;
        millis[slot] += took;
    }

    /** The most requests that ended in one bucket; the present one does not count. 0 if none. */
    long max(long now) {
        look(now / width);
        return max;
    }

    /** The least mean of a bucket, in milliseconds; the present one does not count. Infinity if none. */
    double minMean(long now) {
        look(now / width);
        return minMean;
    }

    /* Full buckets change only when the present one becomes full. */
    private void look(long present) {
        if (present == seen) {
            return;
        }
        seen = present;
        max = 0;
        minMean = Double.POSITIVE_INFINITY;
        for (int slot = 0; slot < numbers.length; slot++) {
            long age = present - numbers[slot];
            if (numbers[slot] >= 0 && age > 0 && age < numbers.length) {
                max = Math.max(max, ended[slot]);
                minMean = Math.min(minMean, millis[slot] / ended[slot]);
            }
        }
    }
}
