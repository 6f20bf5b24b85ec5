package dev.weir.adaptive.controller;

import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;

/** Statistics of latencies: the recent mean, the variation, and the mean of the unloaded server. */
final class LatencyBaseline {
    private static final int FEW = 10;
    private static final int SOLID = 15;
    private static final double MAX_VARIATION = 16;
    private static final double OLD = 20;
    private static final double REPLACED = 0.7;

    private double mean;
    private double variation = 1;
    private double unloaded;
    private boolean unproven;
    private Latencies gathered = Latencies.NONE; // over steady windows in a row

    /** Adds a window, however the limit changed in it. */
    void learn(Window window) {
        Latencies all = window.latencies().plus(window.older());
        if (all.count() >= FEW || (mean == 0 && all.count() > 0)) {
            mean = all.mean();
        }
        if (all.count() >= FEW) {
            double weight = Math.min(0.5, all.count() / 200.0);
            variation += weight * (Math.min(all.variation(), MAX_VARIATION) - variation);
        }
    }

    /** Adds a window; only one that was measured under a steady limit may lower the unloaded latency. */
    void learn(Window window, boolean steady) {
        learn(window);
        if (!steady) {
            gathered = Latencies.NONE;
            return;
        }
        gathered = gathered.plus(window.latencies().plus(window.older()));
        if (gathered.count() >= SOLID) {
            double most = gathered.mean() * (1 + 2 * StrictMath.sqrt(variation() / gathered.count()));
            unproven |= most < REPLACED * unloaded;
            unloaded = unloaded == 0 ? most : Math.min(unloaded, most);
            gathered = Latencies.NONE;
        }
    }

    /** Adds what was measured while all instances were low. */
    void learnDip(Latencies dip) {
        if (dip.count() == 0) {
            return;
        }
        double error = StrictMath.sqrt(variation() / dip.count());
        double weight = unloaded == 0 || Math.abs(StrictMath.log(dip.mean() / unloaded)) > 2 * error
                ? 0
                : OLD * variation() / (OLD * variation() + dip.count());
        unloaded = weight * unloaded + (1 - weight) * dip.mean();
    }

    void unloaded(double nanos) {
        unloaded = nanos;
    }

    /** Returns true, once, after the unloaded latency fell far at once: it may be that of a full server. */
    boolean unproven() {
        boolean answer = unproven;
        unproven = false;
        return answer;
    }

    double mean() {
        return mean;
    }

    /** The recent squared coefficient of variation, within 0.5 and 8. */
    double variation() {
        return Math.max(0.5, Math.min(variation, 8));
    }

    /** The unloaded latency; 0 if unknown. */
    double unloaded() {
        return unloaded;
    }
}
