package dev.weir.adaptive.controller;

import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;

/** Statistics of latencies: the recent mean, the variation, and the least mean of the last 20 to 40 seconds. */
final class LatencyBaseline {
    private static final double TERM = 20e9;
    private static final int FEW = 10;
    private static final int SOLID = 15;
    private static final double MOST_VARIATION = 16;

    private double mean;
    private double variation = 1;
    private double least;
    private double leastBefore;
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
            variation += weight * (Math.min(all.variation(), MOST_VARIATION) - variation);
        }
        if (steady && all.count() >= SOLID) {
            least = least == 0 ? all.mean() : Math.min(least, all.mean());
        }
        age += window.passed() > 0 ? 0 : window.nanos(); // latencies of an overload without a limit are no new least
        if (age > TERM) {
            age = 0;
            leastBefore = least;
            least = 0;
        }
    }

    /** Sets the least mean: the one so far has proved wrong. 0 if unknown. */
    void resetLeast(double nanos) {
        least = nanos;
        leastBefore = nanos;
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
    double least() {
        return least == 0 || leastBefore == 0 ? Math.max(least, leastBefore) : Math.min(least, leastBefore);
    }
}
