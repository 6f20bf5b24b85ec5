package dev.weir.adaptive.controller;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import java.util.Map;

/**
 * Follows the ratio of a long-term to the present latency: with the mean latency {@code r} of a window and its moving
 * average {@code R} over about 600 windows (a plain mean for the first ten), {@code g = clamp(tolerance * R/r, 0.5, 1)} and
 * {@code L = 0.8 L + 0.2 (g L + 4)} while there is demand. Where {@code R > 2r}, {@code R} shrinks by a twentieth a window.
 *
 * <p>SignalSource: Gradient2Limit of Netflix's concurrency-limits. Unlike there the least limit is 1, not 20.
 *
 * <p>Known weakness: under sustained load the average takes in the queue, and the limit drifts upwards without end. It
 * ignores what is lost, as published, and since four are always added it cannot go below about eight: it protects no small
 * server. For services loaded in short bursts, with bounds close to what they can bear.
 *
 * <p>Keeps a few numbers; not thread-safe but for {@link #why()}.
 */
public final class Gradient2 implements Controller {
    private static final String LONG_TERM = "long-term";
    private static final double USUAL_TOLERANCE = 1.5;
    private static final double SMOOTHING = 0.2;
    private static final double QUEUE = 4;
    private static final double WARM_UP = 10;
    private static final double WEIGHT = 2.0 / 601;

    private final double tolerance;
    private final FractionalLimit level = new FractionalLimit();
    private double longTerm;
    private double windows;
    private volatile String why = "gradient2: nothing yet";

    /** Tolerates latencies of one and a half times the average. */
    public Gradient2() {
        this(USUAL_TOLERANCE);
    }

    /**
     * Tolerates latencies of so many times the average.
     *
     * @param tolerance at least 1
     * @throws IllegalArgumentException if it is less or no finite number
     */
    public Gradient2(double tolerance) {
        if (!(tolerance >= 1 && tolerance < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("tolerance must be >= 1 and finite, was " + tolerance);
        }
        this.tolerance = tolerance;
    }

    @Override
    public long next(Window window, long limit) {
        double present = level.at(limit);
        double latency = window.latencies().mean();
        if (!(latency > 0)) {
            why = "gradient2: no latencies";
            return level.stay();
        }
        average(latency);
        if (!window.hasDemand()) {
            why = "gradient2: no demand";
            return level.stay();
        }
        double gradient = Math.max(0.5, Math.min(tolerance * longTerm / latency, 1));
        why = "gradient2: " + Math.round(100 * gradient) + " % by " + Math.round(latency / 1000) + " us over "
                + Math.round(longTerm / 1000) + " us";
        return level.to((1 - SMOOTHING) * present + SMOOTHING * (gradient * present + QUEUE));
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
        return why;
    }

    @Override
    public Map<String, Double> learned() {
        return longTerm == 0 ? Map.of() : Map.of(LONG_TERM, longTerm);
    }

    /** Takes the average up as one of ten windows, of fewer the less it is trusted. */
    @Override
    public void restore(Map<String, Double> learned, double trust) {
        double kept = RestoredValues.latency(learned, LONG_TERM);
        if (kept > 0) {
            longTerm = kept;
            windows = Math.floor(WARM_UP * RestoredValues.trust(trust));
        }
    }
}
