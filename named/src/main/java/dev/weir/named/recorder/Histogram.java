package dev.weir.named.recorder;

import dev.weir.internal.Require;
import java.util.List;

/**
 * A sample of times in buckets. Four buckets double the time, so each is at most 25 % longer than the one
 * before it: from 1.024 us to 73 minutes. Immutable.
 *
 * @param buckets those that are not empty, the shortest time first
 */
public record Histogram(List<Bucket> buckets) {
    /** The number of buckets. */
    public static final int SIZE = 128;

    /** Of no time. */
    static final Histogram EMPTY = new Histogram(List.of());

    private static final int FIRST_POWER = 10;
    private static final int LAST = SIZE - 1;

    /** Copies the buckets. */
    public Histogram {
        buckets = List.copyOf(buckets);
    }

    /**
     * One bucket.
     *
     * @param index from 0, which is all below 1.024 us, to {@link Histogram#SIZE} - 1, which is all that is longer than the others
     * @param count how many times are in it
     */
    public record Bucket(int index, long count) {}

    /** The shortest time in a bucket, in nanoseconds; the next one begins where it ends. */
    public static long lowerNanos(int index) {
        Require.that(index >= 0 && index <= LAST, "index must be within 0 and " + LAST, index);
        return index == 0 ? 0 : (4L + (index - 1) % 4) << (FIRST_POWER - 2 + (index - 1) / 4);
    }

    /** The bucket of a time in nanoseconds. */
    static int bucketOf(long nanos) {
        if (nanos < 1L << FIRST_POWER) {
            return 0;
        }
        int power = 63 - Long.numberOfLeadingZeros(nanos);
        int quarter = (int) (nanos >>> (power - 2)) & 3;
        return Math.min(LAST, 1 + (power - FIRST_POWER) * 4 + quarter);
    }

    /** The number of times in it. */
    public long count() {
        return buckets.stream().mapToLong(Bucket::count).sum();
    }
}
