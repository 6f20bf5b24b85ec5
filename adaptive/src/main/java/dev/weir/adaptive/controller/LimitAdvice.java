package dev.weir.adaptive.controller;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Suggests a fixed limit to those who want one, from what was seen. Feed it windows with {@link #see}, such as those of
 * {@link AdaptiveControl.Builder#onAdjustment adjustments}; or attach it as a controller, which changes nothing. It needs to
 * see the service both below and at its best: some hours of ordinary use, or a load test.
 *
 * <p>Windows are gathered by how many were in flight on average ({@code throughput * latency}, Little's law) in steps of a
 * tenth. Windows without latencies, or in which fewer than nine in ten succeeded, tell nothing. Keeps a few hundred
 * numbers. Thread-safe.
 */
public final class LimitAdvice implements Controller {
    private static final double STEP = StrictMath.log(1.1);
    private static final double AS_GOOD = 0.95;
    private static final double SUCCEEDED = 0.9;
    private static final double BEYOND = 1.25;
    private static final int FEW = 30;

    /**
     * A suggestion.
     *
     * @param limit what to set: the knee and twice its square root, for demand comes unevenly
     * @param littles in flight on average at the best throughput seen
     * @param knee the least average in flight whose throughput was within 5 % of the best
     * @param windows how many it rests on
     * @param because how it came about and how far to believe it
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

    private final TreeMap<Integer, Bucket> buckets = new TreeMap<>();
    private int windows;

    /** That has seen nothing. */
    public LimitAdvice() {}

    /** Takes a window into account. */
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

    /** The suggestion by now; empty if no window told anything. */
    public synchronized Optional<Advice> advice() {
        if (buckets.isEmpty()) {
            return Optional.empty();
        }
        Bucket best = buckets.firstEntry().getValue();
        for (Bucket bucket : buckets.values()) {
            best = bucket.throughput() > best.throughput() ? bucket : best;
        }
        Bucket knee = best;
        for (Bucket bucket : buckets.descendingMap().values()) {
            knee = bucket.throughput() >= AS_GOOD * best.throughput() ? bucket : knee;
        }
        double level = knee.level();
        long limit = (long) Math.ceil(level + 2 * Math.sqrt(level));
        return Optional.of(new Advice(limit, best.level(), level, windows, because(best, knee)));
    }

    private String because(Bucket best, Bucket knee) {
        double most = buckets.lastEntry().getValue().level();
        String seen = "best " + Math.round(best.throughput()) + "/s at " + tenths(best.level()) + " in flight, "
                + Math.round(knee.throughput()) + "/s at " + tenths(knee.level()) + "; ";
        if (most < BEYOND * knee.level()) {
            return seen + "little confidence: not seen beyond " + tenths(most) + ", the knee may be higher";
        }
        if (knee.windows < FEW) {
            return seen + "some confidence: only " + knee.windows + " windows there";
        }
        return seen + "good confidence: no better up to " + tenths(most);
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
