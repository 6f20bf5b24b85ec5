package dev.weir.adaptive;

import java.util.Collections;
import java.util.Comparator;
import java.util.Optional;
import java.util.TreeMap;

/**
 * An advisor that suggests a fixed limit from measurements. Give it sampling windows with {@link #see}, such as those of
 * {@link AdaptiveControl.Builder#onAdjustment adjustments}; or use it as a controller, which does not change the limit. It needs
 * windows both below the maximum throughput and at it: some hours of normal use, or a load test.
 *
 * <p>Windows are grouped by the mean number in flight ({@code throughput * latency}, Little's law) in steps of a tenth.
 * Windows without latencies, or in which less than 90 % succeeded, are ignored. It stores a few hundred numbers. Thread-safe.
 */
public final class LimitAdvice implements Controller {
    private static final double STEP = StrictMath.log(1.1);
    private static final double AS_GOOD = 0.95;
    private static final double SUCCEEDED = 0.9;
    private static final double BEYOND = 1.25;
    private static final int FEW = 30;

    /**
     * A suggested limit and its reason.
     *
     * @param limit the limit to set: the knee plus twice its square root, because demand varies
     * @param littles the mean number in flight at the best throughput
     * @param knee the least mean number in flight whose throughput was within 5 % of the best
     * @param windows the number of windows that it is based on
     * @param because the measurements and the confidence, in words
     */
    public record Advice(long limit, double littles, double knee, int windows, String because) {}

    private static final class Bucket {
        private int windows;
        private double seconds;
        private double completed;
        private double busy;

        double throughput() {
            return completed / seconds;
        }

        double level() {
            return busy / seconds;
        }
    }

    /* Both are guarded by the monitor. */
    private final TreeMap<Integer, Bucket> buckets = new TreeMap<>();
    private int windows;

    /** Advice from no windows yet. */
    public LimitAdvice() {}

    /** Adds a window. */
    public synchronized void see(Window window) {
        double latency = window.latencies().plus(window.older()).mean();
        double completed = window.completed();
        double ended = completed + window.dropped() + window.ignored();
        if (!(latency > 0) || !(completed > 0) || completed < SUCCEEDED * ended) {
            return;
        }
        double seconds = window.nanos() / 1e9;
        double busy = completed * latency / 1e9;
        int step = (int) Math.floor(StrictMath.log(busy / seconds) / STEP);
        Bucket bucket = buckets.computeIfAbsent(step, fresh -> new Bucket());
        bucket.windows++;
        bucket.seconds += seconds;
        bucket.completed += completed;
        bucket.busy += busy;
        windows++;
    }

    /** The suggestion from the windows so far; empty if none was usable. */
    public synchronized Optional<Advice> advice() {
        if (buckets.isEmpty()) {
            return Optional.empty();
        }
        Bucket best = Collections.max(buckets.values(), Comparator.comparingDouble(Bucket::throughput));
        Bucket knee = best;
        for (Bucket bucket : buckets.descendingMap().values()) {
            knee = bucket.throughput() >= AS_GOOD * best.throughput() ? bucket : knee;
        }
        double level = knee.level();
        long limit = (long) Math.ceil(level + 2 * Math.sqrt(level));
        return Optional.of(new Advice(limit, best.level(), level, windows, because(best, knee)));
    }

    private String because(Bucket best, Bucket knee) {
        double max = buckets.lastEntry().getValue().level();
        String seen = "best " + Math.round(best.throughput()) + "/s at " + tenths(best.level()) + " in flight, "
                + Math.round(knee.throughput()) + "/s at " + tenths(knee.level()) + "; ";
        if (max < BEYOND * knee.level()) {
            return seen + "little confidence: not seen beyond " + tenths(max) + ", the knee may be higher";
        }
        if (knee.windows < FEW) {
            return seen + "some confidence: only " + knee.windows + " windows there";
        }
        return seen + "good confidence: no better up to " + tenths(max);
    }

    private static String tenths(double level) {
        return Double.toString(Math.round(10 * level) / 10.0);
    }

    @Override
    public long next(Window window, long limit) {
        see(window);
        return Math.max(1, limit);
    }

    @Override
    public String why() {
        return advice().map(now -> "advice: " + now.limit() + ", " + now.because())
                .orElse("advice: nothing yet");
    }
}
