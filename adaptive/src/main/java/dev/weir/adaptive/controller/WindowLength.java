package dev.weir.adaptive.controller;

import dev.weir.adaptive.Window;

/** Whether a window is long enough for {@link Crest} to evaluate, by its phase, the latencies and the number of completions. */
final class WindowLength {
    private static final double MILLI = 1e6;
    private static final double MAX_LATENCY = 30_000 * MILLI;
    private static final double PROBED = 120;

    private final LatencyBaseline latencies;
    private final Cut cut;

    WindowLength(LatencyBaseline latencies, Cut cut) {
        this.latencies = latencies;
        this.cut = cut;
    }

    /** A window while a change of the limit settles: one latency. */
    boolean settled(Window window) {
        return window.nanos() >= latency(window);
    }

    /** A window while the limit does not bind; {@code known} if the knee has been measured. */
    boolean calm(Window window, boolean known) {
        double usual = known ? latency(window) : latencies.least();
        boolean counted = !known
                && window.completed() + window.dropped() >= Throughput.FEW * latencies.variation()
                && window.nanos() >= usual;
        return counted || window.nanos() >= Math.max(100 * MILLI, 2 * usual);
    }

    /** A window of another phase, after {@code high} at the high limit and {@code below} at the last lower one. */
    boolean measured(Window window, Phase phase, Throughput high, Throughput below) {
        double latency = latency(window);
        return window.nanos() >= Math.max(3000 * MILLI, 12 * latency)
                || counted(Throughput.of(window), phase, latency, high, below);
    }

    private double latency(Window window) {
        return Math.min(
                MAX_LATENCY, Math.max(latencies.mean(), Throughput.of(window).latency()));
    }

    private boolean counted(Throughput now, Phase phase, double latency, Throughput high, Throughput below) {
        if (cut.onTrial()) {
            return now.done() + now.lost() >= PROBED * latencies.variation() && now.nanos() >= 2 * latency;
        }
        if (phase != Phase.LOW && now.worse(below, latencies.variation())) {
            return true;
        }
        if (phase == Phase.RAMP) {
            return now.done() >= Throughput.FEW * Math.max(1, latencies.variation())
                    && now.nanos() >= Math.max(latency, 10 * MILLI)
                    && !undecided(now, below);
        }
        if (now.nanos() < Math.max(50 * MILLI, 2 * latency)) {
            return false;
        }
        boolean fallsClearly = phase == Phase.LOW
                && now.done() >= Throughput.FEW
                && high.over(now) > Throughput.CLEAR * high.error(now, latencies.variation());
        return fallsClearly || now.done() >= PROBED * latencies.variation();
    }

    /* Within one error of the required growth the result is open; four times as many calls decide. */
    private boolean undecided(Throughput now, Throughput below) {
        return below != Throughput.NONE
                && now.done() < 4 * Throughput.FEW * Math.max(1, latencies.variation())
                && Math.abs(now.over(below) - Throughput.DOUBLING) < now.error(below, latencies.variation());
    }
}
