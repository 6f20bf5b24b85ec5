package dev.weir.adaptive.controller;

import dev.weir.adaptive.Window;

/**
 * The rule for the length of a window that {@link Crest} evaluates: by the phase, the latencies and the number of completions.
 */
record WindowLength(LatencyBaseline latencies) {
    private static final double MILLI = 1e6;
    private static final double MAX_LATENCY = 30_000 * MILLI;
    private static final double PROBED = 120;
    private static final long LARGE = 32;
    private static final long FIRST = 8;

    /** The present mean latency, which a queue may have lengthened within this window. */
    double latency(Window window) {
        return Math.min(
                MAX_LATENCY, Math.max(latencies.mean(), Throughput.of(window).latency()));
    }

    /** A window while a change of the limit settles: one latency. */
    boolean settled(Window window) {
        return window.nanos() >= latency(window);
    }

    /** A window while the limit does not bind; {@code known} if the knee has been measured. */
    boolean calm(Window window, boolean known) {
        if (!known && window.limit() > LARGE) {
            return window.completed() + window.dropped() >= FIRST || window.nanos() >= 50 * MILLI;
        }
        double usual = known ? latency(window) : Math.min(MAX_LATENCY, latencies.unloaded());
        boolean counted = !known
                && window.completed() + window.dropped() >= Throughput.FEW * latencies.variation()
                && window.nanos() >= usual;
        return counted || window.nanos() >= Math.max(100 * MILLI, 2 * usual);
    }

    /** A window while the effect of a cut is measured. */
    boolean trial(Window window) {
        Throughput now = Throughput.of(window);
        return tooLong(window)
                || (now.done() + now.lost() >= PROBED * latencies.variation() && window.nanos() >= 2 * latency(window));
    }

    /** A window while the limit is doubled, after {@code below} at the last lower limit. */
    boolean ramp(Window window, Throughput below) {
        Throughput now = Throughput.of(window);
        boolean counted = now.done() >= Throughput.FEW * Math.max(1, latencies.variation())
                && window.nanos() >= Math.max(latency(window), 10 * MILLI);
        return tooLong(window) || now.worse(below, latencies.variation()) || (counted && !undecided(now, below));
    }

    /** A window at the high limit, after {@code below} at the last lower limit. */
    boolean high(Window window, Throughput below) {
        Throughput now = Throughput.of(window);
        return tooLong(window) || now.worse(below, latencies.variation()) || (longEnough(window) && counted(now));
    }

    /** A window at the low limit, after {@code high} at the high one. */
    boolean low(Window window, Throughput high) {
        Throughput now = Throughput.of(window);
        return tooLong(window) || (longEnough(window) && (counted(now) || fallsClearly(now, high)));
    }

    private boolean tooLong(Window window) {
        return window.nanos() >= Math.max(3000 * MILLI, 12 * latency(window));
    }

    private boolean longEnough(Window window) {
        return window.nanos() >= Math.max(50 * MILLI, 2 * latency(window));
    }

    private boolean counted(Throughput now) {
        return now.done() >= PROBED * latencies.variation();
    }

    private boolean fallsClearly(Throughput now, Throughput high) {
        return now.done() >= Throughput.FEW
                && high.over(now) > Throughput.CLEAR * high.error(now, latencies.variation());
    }

    /* Within one error of the required growth the result is open; four times as many calls decide. */
    private boolean undecided(Throughput now, Throughput below) {
        return below != Throughput.NONE
                && now.done() < 4 * Throughput.FEW * Math.max(1, latencies.variation())
                && Math.abs(now.over(below) - Throughput.DOUBLING) < now.error(below, latencies.variation());
    }
}
