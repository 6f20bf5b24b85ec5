package dev.weir.adaptive.controller;

import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;

/** Statistics of latencies: the recent mean, the variation, and the least mean of the last 20 to 40 seconds. */
final class LatencyBaseline {
    private static final double MAX_AGE = 20e9;
    private static final int FEW = 10;
    private static final int SOLID = 15;
    private static final double MAX_VARIATION = 16;

    private double mean;
    private double variation = 1;
    private double min;
    private double minBefore;
    private double age;

    /** Adds a window; only one that was measured under a steady limit may set the least mean. */
    void learn(Window window, boolean steady) {
        Latencies all = window.latencies().plus(window.older());
        if (all.count() == 0) {
            return;
        }
        if (all.count() >= FEW || mean == 0) {
            mean = all.mean();
        }
        if (all.count() >= FEW) {
            double weight = Math.min(0.5, all.count() / 200.0);
            variation += weight * (Math.min(all.variation(), MAX_VARIATION) - variation);
        }
        if (steady && all.count() >= SOLID) {
            min = min == 0 ? all.mean() : Math.min(min, all.mean());
        }
        age += window.passed() > 0 ? 0 : window.nanos(); // latencies of an overload without a limit are no new least
        if (age > MAX_AGE) {
            age = 0;
            minBefore = min;
            min = 0;
        }
    }

    /** Sets the least mean: the one so far has proved wrong. 0 if unknown. */
    void resetMin(double nanos) {
        min = nanos;
        minBefore = nanos;
        age = 0;
    }

    double mean() {
        return mean;
    }

    /** The recent squared coefficient of variation, within 0.5 and 8. */
    double variation() {
        return Math.max(0.5, Math.min(variation, 8));
    }

    /** The least mean; 0 if unknown. */
    double min() {
        return min == 0 || minBefore == 0 ? Math.max(min, minBefore) : Math.min(min, minBefore);
    }
}
