package dev.weir.named.recorder;

import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The requests of one limit in the last minutes, as far as they are recorded: how many came in each slice of time, and for how
 * long a sample of the permits was held. Its arrays are not copied; nobody writes to them.
 *
 * @param from when the first slice began
 * @param sliceNanos how long a slice is, at least 1
 * @param arrivals how many requests came in each slice, oldest first; a request that waited is counted in the slice in which it
 *     came
 * @param holdSlices the slice in which each permit of the sample was granted, in ascending order; negative = before the first
 * @param holdNanos for how long each permit of the sample was held; as many as {@code holdSlices}
 * @param keys the heaviest keys in each second since {@code from}; empty = keys are not recorded
 * @param limits the limit at the end of each second since {@code from}; empty = not recorded
 * @param admitted how many requests were granted in each second since {@code from}
 * @param refused how many requests were refused in each second since {@code from}
 * @param isHeavy whether one of the sample was for more than one permit
 */
@SuppressWarnings("ArrayRecordComponent") // up to 30,000 slices; it is never compared
record RecordedLoad(
        Instant from,
        long sliceNanos,
        int[] arrivals,
        int[] holdSlices,
        long[] holdNanos,
        List<KeyShares> keys,
        long[] limits,
        long[] admitted,
        long[] refused,
        boolean isHeavy) {
    RecordedLoad {
        if (sliceNanos < 1) {
            throw new IllegalArgumentException("sliceNanos must be >= 1, was " + sliceNanos);
        }
        if (holdSlices.length != holdNanos.length) {
            throw new IllegalArgumentException(
                    "holdNanos must be as many as holdSlices, " + holdSlices.length + ", were " + holdNanos.length);
        }
        keys = List.copyOf(keys);
    }

    /** The heaviest keys in one second: by how much the estimate of each has grown. */
    record KeyShares(List<KeyShare> heaviest) {
        KeyShares {
            heaviest = List.copyOf(heaviest);
        }
    }

    /**
     * One key in one second.
     *
     * @param key as {@link dev.weir.keyed.HeavyHitters.Hitter#key} has it
     * @param requests how many it had in that second, granted and refused, as estimated
     */
    record KeyShare(Object key, long requests) {}

    /** How many of the requests were refused. */
    long refusedThen() {
        return LongStream.of(refused).sum();
    }

    /** How many requests came in all. */
    long requests() {
        long sum = 0;
        for (int each : arrivals) {
            sum += each;
        }
        return sum;
    }
}
