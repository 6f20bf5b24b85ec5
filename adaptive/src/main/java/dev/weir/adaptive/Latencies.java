package dev.weir.adaptive;

import dev.weir.internal.Require;
import java.util.Arrays;
import java.util.stream.IntStream;

/** A sorted sample of latencies in nanoseconds. Immutable. */
public final class Latencies {
    private static final int MAX_SIZE = 8192;

    /** The empty sample. */
    public static final Latencies NONE = new Latencies(new long[0]);

    private final long[] sorted;
    private final double mean;

    private Latencies(long[] sorted) {
        this.sorted = sorted;
        double sum = 0;
        for (long latency : sorted) {
            sum += latency;
        }
        this.mean = sorted.length == 0 ? 0 : sum / sorted.length;
    }

    /** A sample of these latencies, in any order; one below 0 counts as 0. */
    public static Latencies of(long... nanos) {
        return of(nanos, nanos.length);
    }

    static Latencies of(long[] nanos, int count) {
        return count == 0
                ? NONE
                : new Latencies(Arrays.stream(nanos, 0, count)
                        .map(latency -> Math.max(0, latency))
                        .sorted()
                        .toArray());
    }

    /** The number of latencies. */
    public int count() {
        return sorted.length;
    }

    /** The mean; 0 if empty. */
    public double mean() {
        return mean;
    }

    /** The minimum; 0 if empty. */
    public long min() {
        return quantile(0);
    }

    /**
     * The quantile of this share, 0 to 1, by nearest rank: 0.5 is the median. 0 if empty.
     *
     * @throws IllegalArgumentException if the share is not within 0 and 1
     */
    public long quantile(double share) {
        Require.that(share >= 0 && share <= 1, "share must be within 0 and 1", share);
        int rank = (int) Math.ceil(share * sorted.length);
        return sorted.length == 0 ? 0 : sorted[Math.max(0, rank - 1)];
    }

    /** The number of latencies above this bound. */
    public int countAbove(double bound) {
        long nanos = (long) bound;
        int low = 0;
        int high = sorted.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sorted[middle] > nanos) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return sorted.length - low;
    }

    /**
     * This sample without the latencies above {@code longest}, and with {@code times} more, but at most 8,192, of exactly
     * {@code longest}.
     */
    public Latencies replaceAbove(long longest, int times) {
        int kept = sorted.length - countAbove((double) longest);
        if (kept == sorted.length && times == 0) {
            return this;
        }
        long[] some = Arrays.copyOf(sorted, kept + Math.min(times, MAX_SIZE));
        Arrays.fill(some, kept, some.length, longest);
        return new Latencies(some);
    }

    /**
     * The squared coefficient of variation, {@code (standard deviation / mean)^2}; 1, as of an exponential distribution, if
     * there are fewer than two or the mean is 0.
     */
    public double variation() {
        if (sorted.length < 2 || mean == 0) {
            return 1;
        }
        double squares = 0;
        for (long latency : sorted) {
            squares += (latency - mean) * (latency - mean);
        }
        return squares / (sorted.length - 1) / (mean * mean);
    }

    /** The latencies of both samples; if there are more than 8,192, every second one of them in order of size. */
    public Latencies plus(Latencies other) {
        if (other.sorted.length == 0 || sorted.length == 0) {
            return sorted.length == 0 ? other : this;
        }
        long[] both = Arrays.copyOf(sorted, sorted.length + other.sorted.length);
        System.arraycopy(other.sorted, 0, both, sorted.length, other.sorted.length);
        Arrays.sort(both);
        if (both.length <= MAX_SIZE) {
            return new Latencies(both);
        }
        IntStream half = IntStream.range(0, (both.length + 1) / 2);
        return new Latencies(half.mapToLong(i -> both[2 * i]).toArray());
    }

    @Override
    public String toString() {
        return count() + " of " + Math.round(mean / 1000) + " us";
    }
}
