package dev.weir.benchmarks.sim;

import java.util.Arrays;

/** A rolling window of buckets, each with how many requests ended in it and how long they took together. */
final class Buckets {
    private final long width;
    private final long[] numbers;
    private final long[] ended;
    private final double[] millis;

    private long seen = -1;
    private long most;
    private double leastMean;

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
    long most(long now) {
        look(now / width);
        return most;
    }

    /** The least mean of a bucket, in milliseconds; the present one does not count. Infinity if none. */
    double leastMean(long now) {
        look(now / width);
        return leastMean;
    }

    /* Full buckets change only when the present one becomes full. */
    private void look(long present) {
        if (present == seen) {
            return;
        }
        seen = present;
        most = 0;
        leastMean = Double.POSITIVE_INFINITY;
        for (int slot = 0; slot < numbers.length; slot++) {
            long age = present - numbers[slot];
            if (numbers[slot] >= 0 && age > 0 && age < numbers.length) {
                most = Math.max(most, ended[slot]);
                leastMean = Math.min(leastMean, millis[slot] / ended[slot]);
            }
        }
    }
}
