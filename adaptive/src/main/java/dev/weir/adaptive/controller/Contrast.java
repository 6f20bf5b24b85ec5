package dev.weir.adaptive.controller;

import java.util.Locale;

/**
 * The result of one probe: the throughput at a high and at a low limit. The knee is the low limit times the ratio of the two
 * if it lies between them, else the nearer end ({@code docs/how/crest.md}).
 *
 * @param variation the squared coefficient of variation of latencies
 */
record Contrast(Throughput high, Throughput low, double variation) {
    private static final double ELASTIC = 0.6;
    private static final double FALLS = 0.7;

    /** The logarithm of the ratio of the throughputs. */
    double growth() {
        return high.over(low);
    }

    /** The standard error of {@link #growth}. */
    double error() {
        return high.error(low, variation);
    }

    /** The growth of throughput with the limit: 1 below the knee, 0 above it. */
    double elasticity() {
        return growth() / StrictMath.log(high.limit() / low.limit());
    }

    boolean elastic() {
        return elasticity() > ELASTIC;
    }

    /** Returns true if throughput fell as the limit did, beyond two errors. */
    boolean fallsWithLimit() {
        return high.done() > 0 && low.done() > 0 && elasticity() > FALLS && growth() > 2 * error();
    }

    /** The logarithm of the ratio of the knee by this probe and this estimate of it. */
    double distance(double knee) {
        return StrictMath.log(low.limit() / knee) + growth();
    }

    /** The next estimate of the knee: it moves little within the error, and nearly all of the distance beyond it. */
    double corrected(double knee) {
        double distance = distance(knee);
        double error = error();
        double move = distance * distance * distance / (distance * distance + error * error);
        return Math.max(1, knee * StrictMath.exp(Math.max(-1.2, Math.min(move, 0.8))));
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "elasticity %.2f, %.0f/s against %.0f/s",
                elasticity(),
                high.rate() * 1e9,
                low.rate() * 1e9);
    }
}
