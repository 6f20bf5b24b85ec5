package dev.weir.adaptive;

import java.util.Arrays;

/** A sample of latencies, in nanoseconds. Immutable. */
public final class Latencies {
    private static final int MOST = 8192;

    /** None. */
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

    /** These. */
    public static Latencies of(long... nanos) {
        return of(nanos, nanos.length);
    }

    static Latencies of(long[] nanos, int count) {
        if (count == 0) {
            return NONE;
        }
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        return new Latencies(sorted);
    }

    /** How many there are. */
    public int count() {
        return sorted.length;
    }

    /** Their mean; 0 of none. */
    public double mean() {
        return mean;
    }

    /** The least of them; 0 of none. */
    public long least() {
        return quantile(0);
    }

    /** That which so large a share of them does not exceed, 0 to 1 (nearest rank); 0 of none. */
    public long quantile(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share must be within 0 and 1, was " + share);
        }
        int rank = (int) Math.ceil(share * sorted.length);
        return sorted.length == 0 ? 0 : sorted[Math.max(0, rank - 1)];
    }

    /** How many exceed this. */
    public int above(double bound) {
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

    /** Those of at most so long, and so many of just that. */
    public Latencies with(long longest, int times) {
        int kept = sorted.length - above((double) longest);
        if (kept == sorted.length && times == 0) {
            return this;
        }
        long[] some = Arrays.copyOf(sorted, kept + Math.min(times, MOST));
        Arrays.fill(some, kept, some.length, longest);
        return new Latencies(some);
    }

    /** The squared coefficient of variation, {@code (deviation / mean)^2}; 1, as of an exponential, where it is unknown. */
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

    /** Both together; of more than 8,192 every second one, in order of size. */
    public Latencies plus(Latencies other) {
        if (other.sorted.length == 0 || sorted.length == 0) {
            return sorted.length == 0 ? other : this;
        }
        long[] both = Arrays.copyOf(sorted, sorted.length + other.sorted.length);
        System.arraycopy(other.sorted, 0, both, sorted.length, other.sorted.length);
        Arrays.sort(both);
        return new Latencies(both.length > MOST ? thinned(both) : both);
    }

    private static long[] thinned(long[] sorted) {
        long[] half = new long[(sorted.length + 1) / 2];
        for (int i = 0; i < half.length; i++) {
            half[i] = sorted[2 * i];
        }
        return half;
    }

    @Override
    public String toString() {
        return count() + " of " + Math.round(mean / 1000) + " us";
    }
}
