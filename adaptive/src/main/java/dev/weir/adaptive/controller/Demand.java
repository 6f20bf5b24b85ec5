package dev.weir.adaptive.controller;

import dev.weir.adaptive.Window;

/** Measures of the demand in a window, relative to its limit. */
final class Demand {
    private static final double FEW_REFUSED = 0.01;
    private static final double MAX_REFUSED_IF_DRAINED = 0.2;

    private Demand() {}

    /** The share of requests that were refused. */
    static double refused(Window window) {
        return window.refused() == 0 ? 0 : (double) window.refused() / (window.refused() + window.admitted());
    }

    /** The number in flight: the middle between minimum and maximum; the limit where it is not counted. */
    static double inFlight(Window window) {
        return window.maxInFlight() <= 0
                ? (double) window.limit()
                : (Math.max(0, (double) window.minInFlight()) + (double) window.maxInFlight()) / 2;
    }

    /** True if requests were refused or waited, some of them at least. */
    static boolean binds(Window window) {
        return refused(window) > FEW_REFUSED || window.waiting() > 0;
    }

    /** True if the number in flight fell below this knee by itself. */
    static boolean drained(Window window, double knee) {
        return window.maxInFlight() == 0
                ? refused(window) <= FEW_REFUSED
                : window.minInFlight() <= 0.9 * knee && refused(window) <= MAX_REFUSED_IF_DRAINED;
    }

    /**
     * True if the limit bound in all of the window. Not if the number in flight fell far below the limit and few were refused:
     * then it bound in a part of it only. The number in flight alone does not show this: where arrivals come in bursts it
     * touches 0 under the heaviest load.
     */
    static boolean bindsThroughout(Window window) {
        boolean fell = window.maxInFlight() > 0
                && window.limit() >= 16
                && window.minInFlight() <= window.limit() / 8
                && refused(window) < 0.3;
        return !fell && (refused(window) > 0.02 || window.waiting() > 0);
    }
}
