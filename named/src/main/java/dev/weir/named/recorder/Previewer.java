package dev.weir.named.recorder;

import dev.weir.adaptive.Bounds;
import dev.weir.algorithms.WarmUp;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.LimitPlan.Adaptive;
import dev.weir.named.recorder.RedrawnTraffic.Placement;
import dev.weir.named.recorder.Replay.Result;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Previews one change of one limit: replays what was recorded by the settings in force, and by the others several times, each time
 * with another guess of what is not recorded exactly.
 */
final class Previewer {
    static final long MOST = 1_000_000;

    /*
     * Requests that come each for itself lie anywhere in a slice. Those that come more unevenly, from slice to slice, may be close
     * together within one, and those that come more evenly at equal distances.
     */
    private static final double UNEVEN = 1.5;
    private static final double EVEN = .7;

    private static final int SAMPLES_OF_KEYS = 3;

    private final HoldMean holds;
    private final RecordedLoad load;
    private final LimitPlan now;
    private final LimitPlan then;
    /* The lowest and the highest of what was refused. */
    private long low = Long.MAX_VALUE;
    private long high;
    /* The same, where the limit does not move as it did. */
    private long lowByLimit = Long.MAX_VALUE;
    private long highByLimit;

    private Previewer(RecordedLoad recorded, LimitPlan now, LimitPlan then) {
        RecordedLoad newest = recorded.newest(MOST);
        holds = HoldMean.of(newest);
        load = newest.holding(holds.factor());
        this.now = now;
        // A dry run refuses nothing: what matters of it is what it would refuse.
        this.then = then.get(LimitPlan.ENFORCE) == 0 ? then.with(LimitPlan.ENFORCE, null) : then;
    }

    /** The preview of a change. Blocks while it replays; throws a {@code CancellationException} if the thread is interrupted. */
    static Preview of(RecordedLoad load, String change, LimitPlan now, LimitPlan then) {
        return new Previewer(load, now, then).preview(change);
    }

    private Preview preview(String change) {
        long[] before = asRecorded();
        long[] after = adapted();
        long asItIs = replay(now, before, Placement.RANDOM, 1, load).refused();
        Result result = replay(then, after, Placement.RANDOM, 2, load);
        include(result.refused());
        double unevenness = load.unevenness();
        if (unevenness > UNEVEN || unevenness < EVEN) {
            Placement other = unevenness > UNEVEN ? Placement.CLOSE : Placement.EVEN;
            include(replay(then, after, other, 3, load).refused());
        }
        double error = Doubts.holds(then) ? holds.error() : 0;
        if (error > 0) {
            include(refused(after, load.holding(1 - Math.min(1, error))));
            include(refused(after, load.holding(1 + error)));
        }
        includeKeys(after, result.refused());
        includeBounds(error);
        List<String> doubts = new Doubts(load, now, then)
                .all(result, asItIs, low, high, Math.min(low, lowByLimit), Math.max(high, highByLimit));
        return new Preview(
                then.name(),
                change,
                now.text(),
                then.text(),
                load.from(),
                Duration.ofNanos(load.sliceNanos() * load.arrivals().length),
                result.requests(),
                load.refusedThen(),
                asItIs,
                result.refused(),
                Math.min(low, lowByLimit),
                Math.max(high, highByLimit),
                Duration.ofNanos(result.waitNanos(.5)),
                Duration.ofNanos(result.waitNanos(.99)),
                result.mostInFlight(),
                result.limit(),
                doubts);
    }

    /* The limit as it was, by whatever moved it; null = it rises by itself. */
    private long @Nullable [] asRecorded() {
        return now.spec().parts().stream().anyMatch(WarmUp.class::isInstance) ? null : load.limits();
    }

    /* The limit of the other settings: as it was, within their bounds, if they are adaptive or a share; null = it stays. */
    private long @Nullable [] adapted() {
        Adaptive adaptive = then.find(LimitPlan.ADAPTIVE);
        if (adaptive == null) {
            return then.find(LimitPlan.SHARE) == null ? null : load.limits();
        }
        Bounds bounds = adaptive.bounds();
        return LongStream.of(load.limits())
                .map(limit -> limit < 1 ? 0 : Math.max(bounds.min(), Math.min(bounds.max(), limit)))
                .toArray();
    }

    private static Result replay(
            LimitPlan plan, long @Nullable [] limits, Placement placement, long seed, RecordedLoad from) {
        return new Replay(plan, limits).run(new RedrawnTraffic(from, placement, seed));
    }

    /* The keys are a sample, too: others like it show by how much it may be wrong. */
    private void includeKeys(long @Nullable [] limits, long refused) {
        if (load.keys().isEmpty() || Replay.tables(then).isEmpty()) {
            return;
        }
        double squares = 0;
        for (int seed = 0; seed < SAMPLES_OF_KEYS; seed++) {
            long other = refused(limits, load.withOtherKeys(seed));
            squares += Math.pow((double) other - refused, 2);
        }
        long error = Math.round(2 * Math.sqrt(squares / SAMPLES_OF_KEYS));
        include(Math.max(0, refused - error));
        include(Math.min(load.requests(), refused + error));
    }

    private void include(long refused) {
        low = Math.min(low, refused);
        high = Math.max(high, refused);
    }

    /* Where a limit would have moved to is not known: it is within its bounds. */
    private void includeBounds(double error) {
        Adaptive adaptive = then.find(LimitPlan.ADAPTIVE);
        if (adaptive != null) {
            highByLimit = refused(new long[] {adaptive.bounds().min()}, load.holding(1 + error));
            lowByLimit = refused(new long[] {adaptive.bounds().max()}, load.holding(1 - Math.min(1, error)));
        }
    }

    private long refused(long @Nullable [] limits, RecordedLoad from) {
        return replay(then, limits, Placement.RANDOM, 2, from).refused();
    }

    /**
     * The mean hold time of the permits of a recording, by two figures that err independently: a factor of the mean of the sample, and
     * the part of it by which it may be wrong, 0 if there is no sample.
     */
    record HoldMean(double factor, double error) {
        /*
         * The sample has 1 permit in 16. And the mean number in flight is the rate of grants times the mean hold time (Little), also if
         * it is read only once a second. Each has its variance, and the better one counts more. If they contradict one another, as where
         * permits are never released, the sample counts.
         */
        private static final double SECOND = 1e9;
        /** Of normal errors, 1 in 80 is larger. */
        private static final double DEVIATIONS = 2.5;

        private static final double CONTRADICTION = 4;

        static HoldMean of(RecordedLoad load) {
            long[] nanos = load.holdNanos();
            double mean = LongStream.of(nanos).average().orElse(0);
            if (mean == 0) {
                return new HoldMean(1, 0);
            }
            double squares = LongStream.of(nanos)
                    .mapToDouble(each -> (each - mean) * (each - mean))
                    .sum();
            double variance = squares / nanos.length / nanos.length / (mean * mean);
            HoldMean sampled = new HoldMean(1, DEVIATIONS * Math.sqrt(variance));
            double inFlight = LongStream.of(load.inFlight()).average().orElse(0);
            double granted = LongStream.of(load.admitted()).average().orElse(0);
            if (inFlight == 0 || granted == 0 || load.isHeavy()) {
                return sampled;
            }
            double factor = inFlight / granted * SECOND / mean;
            double other = variance(load.inFlight(), mean / SECOND) / (inFlight * inFlight);
            if (Math.abs(factor - 1) > CONTRADICTION * Math.sqrt(variance + other)) {
                return sampled;
            }
            // Both are known exactly where each hold time is the same and the limit is always reached.
            double share = variance + other == 0 ? 0 : variance / (variance + other);
            return new HoldMean(1 + share * (factor - 1), DEVIATIONS * Math.sqrt(share * other));
        }

        /*
         * Of the mean of readings that vary from one to the next; a slow change of all is no error. What is held for several seconds is
         * in several readings.
         */
        private static double variance(long[] readings, double heldSeconds) {
            double squares = 0;
            for (int i = 1; i < readings.length; i++) {
                double step = (double) readings[i] - readings[i - 1];
                squares += step * step;
            }
            double alike = 1 + 2 * heldSeconds;
            return squares / 2 / Math.max(1, readings.length - 1) / readings.length * alike * alike;
        }
    }
}
