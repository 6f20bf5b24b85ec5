package dev.weir.adaptive.controller;

import dev.weir.adaptive.Window;

/** The factor by which the limit may exceed that of the knee while it does not bind: it grows with each window that drains. */
final class Burst {
    private static final double MAX = 4;
    private static final double GROWTH = 1.3;

    private double factor = 1;
    private double drained;

    /** Called with a window that drained by itself; {@code known} if the knee has been measured. */
    void drained(Window window, boolean known) {
        factor = !known ? 1 : Math.min(MAX, factor * GROWTH);
        drained = Math.max(drained, (double) window.maxInFlight());
    }

    /** No burst until a window drains again. */
    void end() {
        factor = 1;
    }

    /** Forgets how many have drained. */
    void forgetDrained() {
        drained = 0;
    }

    /** The limit: at most twice as many as have drained before, but at least that of the knee. */
    double limit(double knee, Window window) {
        double max = window.maxInFlight() == 0 ? Double.MAX_VALUE : 2 * drained;
        return Math.max(KneeLimit.of(knee), Math.min(KneeLimit.of(knee) * factor, max));
    }
}
