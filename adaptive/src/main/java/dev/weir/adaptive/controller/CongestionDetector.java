package dev.weir.adaptive.controller;

import dev.weir.adaptive.Window;

/**
 * A detector of congestion while the limit does not bind, because a burst is in flight: throughput has fallen beyond doubt, and
 * latency shows that this is not a pause.
 */
final class CongestionDetector {
    private static final double CONGESTED = 1.5;

    private double bestInFlight;
    private Throughput seen = Throughput.NONE;
    private Throughput best = Throughput.NONE;

    /** The best throughput, per nanosecond; 0 if unknown. */
    double rate() {
        return best.rate();
    }

    /** The best throughput, with the number in flight as its limit. */
    Throughput best() {
        return best == Throughput.NONE ? best : best.under(bestInFlight);
    }

    /** Starts over with this as the best throughput. */
    void restart(Throughput known) {
        best = known;
        bestInFlight = known.limit();
        seen = Throughput.NONE;
    }

    /** True if this window shows that a burst above this knee lowers throughput. */
    boolean harmed(Window window, double knee, double variation) {
        double inFlight = Demand.inFlight(window);
        Throughput now = Throughput.of(window);
        seen = seen.plus(now);
        if (seen.done() >= Throughput.FEW) {
            Throughput solid = seen;
            seen = Throughput.NONE;
            if (better(solid, inFlight)) {
                return false;
            }
        }
        return inFlight > CONGESTED * Math.max(knee, bestInFlight)
                && now.done() > 0
                && now.under(inFlight).worse(best(), variation);
    }

    private boolean better(Throughput now, double inFlight) {
        double expected = rate() * StrictMath.pow(Math.max(1, inFlight) / Math.max(1, bestInFlight), Throughput.GROWTH);
        if (best == Throughput.NONE || now.rate() > expected) {
            best = now;
            bestInFlight = inFlight;
            return true;
        }
        return false;
    }
}
