package dev.weir.adaptive.controller;

/**
 * An estimate of whether {@linkplain LongCalls long calls} hold workers, or only wait, as a long poll does. At a single moment
 * the two look alike: both hold a permit. But long calls start and end by themselves, and during the windows of one probe the
 * limit of the other calls does not change; so throughput follows the number of long calls alone. If it falls by one call per
 * least latency for each long call, they hold workers.
 *
 * <p>It is used in explanations only; the limit does not depend on it ({@code docs/how/crest.md}).
 */
final class Occupancy {
    private static final double MEMORY = 500;
    private static final double SOME = 0.25;

    private double longNanos;
    private double nanos;

    /* Of the windows of one probe: their number, and their means. */
    private double windows;
    private double longMean;
    private double busyMean;

    /* Of deviations from the means of their probe: their number, and the sums of their squares and products. */
    private double deviations;
    private double longSquares;
    private double products;
    private double busySquares;

    /** Lets time pass with this many long calls. */
    void pass(long longCalls, long elapsed) {
        longNanos += (double) longCalls * elapsed;
        nanos += elapsed;
    }

    /** Starts a window. */
    void window() {
        longNanos = 0;
        nanos = 0;
    }

    /** Starts a probe, under another limit. */
    void probe() {
        windows = 0;
    }

    /** Ends a window of the probe, with this throughput and this least latency. */
    void learn(Throughput others, double min) {
        if (nanos == 0 || others.done() < Throughput.FEW) {
            return;
        }
        double longOnes = longNanos / nanos - longMean;
        double busy = others.rate() * min - busyMean;
        if (windows > 0) {
            double weight = windows / (windows + 1);
            deviations = faded(deviations) + 1;
            longSquares = faded(longSquares) + weight * longOnes * longOnes;
            products = faded(products) + weight * longOnes * busy;
            busySquares = faded(busySquares) + weight * busy * busy;
        }
        windows++;
        longMean += windows == 1 ? longOnes : longOnes / windows;
        busyMean += windows == 1 ? busy : busy / windows;
    }

    private static double faded(double sum) {
        return sum * (1 - 1 / MEMORY);
    }

    /** How many workers a long call holds, by least squares; 0 if unknown. */
    double workers() {
        return longSquares == 0 ? 0 : -products / longSquares;
    }

    /** Whether long calls hold workers, beyond doubt. */
    boolean held() {
        double residual = Math.max(0, busySquares - products * products / longSquares);
        double error = StrictMath.sqrt(residual / (deviations - 1) / longSquares);
        return deviations >= Throughput.FEW && longSquares > 0 && workers() > Math.max(SOME, Throughput.CLEAR * error);
    }
}
