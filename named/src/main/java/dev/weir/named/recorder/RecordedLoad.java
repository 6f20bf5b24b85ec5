package dev.weir.named.recorder;

import dev.weir.keyed.HeavyHitters;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * The requests of one limit in the last minutes, as far as they are recorded: how many came in each slice of time, and for how
 * long a sample of the permits was held. Limits, in flight, admitted and refused have one figure for each second, or none if it is
 * not recorded. Its arrays are not copied; nobody writes to them.
 *
 * @param from when the first slice began
 * @param arrivals in each slice, oldest first; a request that waited is counted in the slice in which it came
 * @param holdSlices the slice in which each permit of the sample was granted, in ascending order; negative = before the first
 * @param keys the heaviest in each second, by how much the estimate of each has grown; empty = keys are not recorded
 * @param isHeavy whether one of the sample was for more than one permit
 */
@SuppressWarnings("ArrayRecordComponent") // up to 30,000 slices; it is never compared
record RecordedLoad(
        Instant from,
        long sliceNanos,
        int[] arrivals,
        int[] holdSlices,
        long[] holdNanos,
        List<List<KeyShare>> keys,
        long[] limits,
        long[] inFlight,
        long[] admitted,
        long[] refused,
        boolean isHeavy) {
    private static final long SECOND = 1_000_000_000;

    /** One key in one second, and how many requests it had, granted and refused, as estimated. */
    record KeyShare(Object key, long requests) {}

    long refusedThen() {
        return LongStream.of(refused).sum();
    }

    long requests() {
        return IntStream.of(arrivals).asLongStream().sum();
    }

    /** The part of it that begins with a second, and has no more than this number of requests; all, if it has no more. */
    RecordedLoad newest(long most) {
        int perSecond = (int) Math.max(1, SECOND / sliceNanos);
        long kept = requests();
        int seconds = 0;
        for (int i = 0; kept > most && i < arrivals.length; i++) {
            kept -= arrivals[i];
            seconds = i / perSecond + 1;
        }
        return seconds == 0 ? this : since(seconds, seconds * perSecond);
    }

    private RecordedLoad since(int second, int slice) {
        int hold = 0;
        while (hold < holdSlices.length && holdSlices[hold] < slice) {
            hold++;
        }
        return new RecordedLoad(
                from.plusSeconds(second),
                sliceNanos,
                Arrays.copyOfRange(arrivals, Math.min(slice, arrivals.length), arrivals.length),
                IntStream.of(holdSlices).skip(hold).map(each -> each - slice).toArray(),
                Arrays.copyOfRange(holdNanos, hold, holdNanos.length),
                keys.subList(Math.min(second, keys.size()), keys.size()),
                since(limits, second),
                since(inFlight, second),
                since(admitted, second),
                since(refused, second),
                isHeavy);
    }

    private static long[] since(long[] seconds, int second) {
        return Arrays.copyOfRange(seconds, Math.min(second, seconds.length), seconds.length);
    }

    /** The same with hold times that are this many times as long. */
    RecordedLoad holding(double factor) {
        return with(
                LongStream.of(holdNanos).map(each -> Math.round(each * factor)).toArray(), keys);
    }

    /** The same with keys as another sample of the same requests might have them. */
    RecordedLoad withOtherKeys(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return with(
                holdNanos,
                keys.stream()
                        .map(second -> second.stream()
                                .map(each -> new KeyShare(each.key(), sampled(each.requests(), random)))
                                .toList())
                        .toList());
    }

    private RecordedLoad with(long[] nanos, List<List<KeyShare>> shares) {
        return new RecordedLoad(
                from, sliceNanos, arrivals, holdSlices, nanos, shares, limits, inFlight, admitted, refused, isHeavy);
    }

    /* The number of a sample varies by its root. */
    private static long sampled(long estimate, SplittableRandom random) {
        double counted = (double) estimate / HeavyHitters.ONE_IN;
        double other = counted + Math.sqrt(counted) * normal(random);
        return Math.max(0, Math.round(other * HeavyHitters.ONE_IN));
    }

    /* About normal, by the sum of twelve: the same on every machine. */
    private static double normal(SplittableRandom random) {
        return random.doubles(12).sum() - 6;
    }

    /**
     * The unevenness with which requests come from one slice to the next: the variance of their number to its mean, which is 1 if
     * each comes for itself, and 50 if always 50 come at once.
     */
    double unevenness() {
        double squares = 0;
        double sum = 0;
        for (int i = 1; i < arrivals.length; i++) {
            double step = (double) arrivals[i] - arrivals[i - 1];
            squares += step * step;
            sum += (double) arrivals[i] + arrivals[i - 1];
        }
        return sum == 0 ? 1 : squares / sum;
    }
}
