package dev.weir.adaptive.controller;

/**
 * What a parked call costs the others: no place where it waits, as a long poll does, and one where it holds a worker. At a
 * single moment the two look alike, for both hold a place under the limit. But long calls come and go by themselves, and
 * through the windows of one probe the limit of the others stays as it is; so throughput answers to their number alone. If
 * it falls by one call per least latency for each call that is parked, they hold workers.
 *
 * <p>It says which; the limit does not depend on it ({@code docs/crest.md}).
 */
final class Occupancy {
    private static final double MEMORY = 500;
    private static final double SOME = 0.25;

    private double parkedNanos;
    private double nanos;

    /* Of the windows of one probe: how many, and their means. */
    private double windows;
    private double parkedMean;
    private double busyMean;

    /* Of deviations from the means of their probe: how many, and the sums of their squares and products. */
    private double deviations;
    private double parkedSquares;
    private double products;
    private double busySquares;

    /** Time goes by with so many parked. */
    void pass(long parked, long elapsed) {
        parkedNanos += (double) parked * elapsed;
        nanos += elapsed;
    }

    /** A window begins. */
    void window() {
        parkedNanos = 0;
        nanos = 0;
    }

    /** A probe begins, under another limit. */
    void probe() {
        windows = 0;
    }

    /** A window of the probe ends; so much came through, and a call takes at least so long. */
    void learn(Throughput others, double least) {
        if (nanos == 0 || others.done() < Throughput.FEW) {
            return;
        }
        double parked = parkedNanos / nanos - parkedMean;
        double busy = others.rate() * least - busyMean;
        if (windows > 0) {
            double weight = windows / (windows + 1);
            deviations = kept(deviations) + 1;
            parkedSquares = kept(parkedSquares) + weight * parked * parked;
            products = kept(products) + weight * parked * busy;
            busySquares = kept(busySquares) + weight * busy * busy;
        }
        windows++;
        parkedMean += windows == 1 ? parked : parked / windows;
        busyMean += windows == 1 ? busy : busy / windows;
    }

    private static double kept(double sum) {
        return sum * (1 - 1 / MEMORY);
    }

    /** How many places of the others a parked call takes, by least squares; 0 as long as nothing is known. */
    double places() {
        return parkedSquares == 0 ? 0 : -products / parkedSquares;
    }

    /** Whether parked calls take the place of others, beyond doubt. */
    boolean held() {
        double residual = Math.max(0, busySquares - products * products / parkedSquares);
        double error = StrictMath.sqrt(residual / (deviations - 1) / parkedSquares);
        return deviations >= Throughput.FEW && parkedSquares > 0 && places() > Math.max(SOME, Throughput.CLEAR * error);
    }
}
