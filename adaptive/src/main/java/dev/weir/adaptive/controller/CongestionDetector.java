package dev.weir.adaptive.controller;

import dev.weir.adaptive.Window;

/**
 * Watches in calm whether what is in flight is a crowd that brings nothing. As long as the limit is a first guess, that is
 * so where more comes in than goes out, what is in flight has doubled, and throughput has not grown with it. Later, where
 * bursts are let in on purpose, throughput must have fallen beyond doubt, and latency shows that this is no pause.
 */
final class CongestionDetector {
    static final double GROWTH = 0.54;
    private static final double FEW = 8;
    private static final double CROWD = 1.5;

    private double inFlight;
    private Throughput seen = Throughput.NONE;
    private Throughput best = Throughput.NONE;

    /** The most that came out, per nanosecond. */
    double rate() {
        return best == Throughput.NONE ? 0 : best.rate();
    }

    /** The same, with what was inside as its limit. */
    Throughput best() {
        return best.under(inFlight);
    }

    /** Begins again with what is known. */
    void again(Throughput known) {
        best = known;
        inFlight = known.limit();
        seen = Throughput.NONE;
    }

    /** Whether this window shows a crowd, as long as nothing is proven. One in which the limit bound shows nothing. */
    boolean congested(Window window) {
        if (window.refused() + window.waiting() > 0) {
            return false;
        }
        double inside = inside(window);
        return !better(Throughput.of(window), inside)
                && window.completed() < window.admitted()
                && inside > FEW
                && inside >= 2 * inFlight;
    }

    /** Whether this window shows that a burst above this knee does harm. */
    boolean harmed(Window window, double knee, double variation) {
        double inside = inside(window);
        Throughput now = Throughput.of(window);
        seen = now.done() == 0 && seen.done() > 0 ? now : seen.plus(now);
        if (seen.done() >= Throughput.FEW) {
            Throughput solid = seen;
            seen = Throughput.NONE;
            if (better(solid, inside)) {
                return false;
            }
        }
        return inside > CROWD * Math.max(knee, inFlight)
                && now.done() > 0
                && now.under(inside).worse(best(), variation);
    }

    /** Whether a crowd is inside and nothing comes out; perhaps it is a pause only. */
    boolean stalled(Window window, double knee) {
        return inside(window) > CROWD * Math.max(knee, inFlight)
                && seen.done() == 0
                && seen.nanos() * rate() >= Throughput.FEW;
    }

    /** How many were inside, the middle between the least and the most; where that is not counted, the limit. */
    static double inside(Window window) {
        return window.mostInFlight() <= 0
                ? (double) window.limit()
                : (Math.max(0, (double) window.leastInFlight()) + (double) window.mostInFlight()) / 2;
    }

    private boolean better(Throughput now, double inside) {
        double expected = rate() * StrictMath.pow(Math.max(1, inside) / Math.max(1, inFlight), GROWTH);
        if (best == Throughput.NONE || now.rate() > expected) {
            best = now;
            inFlight = inside;
            return true;
        }
        return false;
    }
}
