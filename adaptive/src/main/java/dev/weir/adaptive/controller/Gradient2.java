package dev.weir.adaptive.controller;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import dev.weir.internal.Require;
import java.util.Map;

/**
 * A controller that follows the ratio of the long-term latency and the current one. With the mean latency {@code r} of a window
 * and its moving average {@code R} over about 600 windows (the arithmetic mean for the first ten),
 * {@code g = clamp(tolerance * R/r, 0.5, 1)} and {@code L = 0.8 L + 0.2 (g L + 4)} while there is demand. While {@code R > 2r},
 * {@code R} shrinks by a twentieth per window.
 *
 * <p>Source: Gradient2Limit of Netflix's concurrency-limits. Deviation: the minimum is 1, not 20.
 *
 * <p>Known weakness: under sustained load the average includes the queue, and the limit rises without end. It ignores losses,
 * as published, and since 4 is always added it cannot go below about 8: it does not protect a small server. It suits services
 * with short bursts of load, within close bounds.
 *
 * <p>Not thread-safe except {@link #why()}, which any thread may call.
 */
public final class Gradient2 implements Controller {
    private static final String LONG_TERM = "long-term";
    private static final double DEFAULT_TOLERANCE = 1.5;
    private static final double SMOOTHING = 0.2;
    private static final double QUEUE = 4;
    private static final double WARM_UP = 10;
    private static final double WEIGHT = 2.0 / 601;

    private final double tolerance;
    private final FractionalLimit current = new FractionalLimit("gradient2");
    private double longTerm;
    private double windows;

    /** Tolerates latencies of 1.5 times the average. */
    public Gradient2() {
        this(DEFAULT_TOLERANCE);
    }

    /**
     * Tolerates latencies of this many times the average.
     *
     * @param tolerance at least 1
     * @throws IllegalArgumentException if it is less or not finite
     */
    public Gradient2(double tolerance) {
        Require.that(
                tolerance >= 1 && tolerance < Double.POSITIVE_INFINITY, "tolerance must be >= 1 and finite", tolerance);
        this.tolerance = tolerance;
    }

    @Override
    public long next(Window window, long limit) {
        double exact = current.at(limit);
        double latency = window.latencies().mean();
        if (!(latency > 0)) {
            return current.stay("no latencies");
        }
        average(latency);
        if (!window.hasDemand()) {
            return current.stay("no demand");
        }
        double gradient = Math.max(0.5, Math.min(tolerance * longTerm / latency, 1));
        String rule = Math.round(100 * gradient) + " % by " + Math.round(latency / 1000) + " us over "
                + Math.round(longTerm / 1000) + " us";
        return current.to((1 - SMOOTHING) * exact + SMOOTHING * (gradient * exact + QUEUE), rule);
    }

    private void average(double latency) {
        if (windows < WARM_UP) {
            longTerm = (longTerm * windows + latency) / (windows + 1);
            windows++;
        } else {
            longTerm += WEIGHT * (latency - longTerm);
        }
        if (longTerm > 2 * latency) {
            longTerm *= 0.95;
        }
    }

    @Override
    public String why() {
        return current.why();
    }

    @Override
    public Map<String, Double> learned() {
        return longTerm == 0 ? Map.of() : Map.of(LONG_TERM, longTerm);
    }

    /** Restores the average as one of ten windows, of fewer with less trust. */
    @Override
    public void restore(Map<String, Double> learned, double trust) {
        double saved = RestoredValues.latency(learned, LONG_TERM);
        if (saved > 0) {
            longTerm = saved;
            windows = Math.floor(WARM_UP * RestoredValues.trust(trust));
        }
    }
}
