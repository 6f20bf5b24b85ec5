package dev.weir.adaptive;

/**
 * Watches whether the limit that was given to begin with is far too large, as long as it never bound: more comes in than
 * goes out, what is in flight has doubled, and throughput has not grown with it.
 */
final class Start {
    private static final double GROWTH = 0.54;
    private static final double FEW = 8;

    private double inFlight;
    private double rate;

    /** The most that came out, per nanosecond. */
    double rate() {
        return rate;
    }

    /** Whether this window shows a crowd that brings nothing. One in which the limit bound shows nothing. */
    boolean congested(Window window) {
        if (window.refused() + window.waiting() > 0) {
            return false;
        }
        double now = Math.max(0, (double) window.completed()) / window.nanos();
        double inside =
                (Math.max(0, (double) window.leastInFlight()) + Math.max(0, (double) window.mostInFlight())) / 2;
        double expected = rate * StrictMath.pow(Math.max(1, inside) / Math.max(1, inFlight), GROWTH);
        if (rate == 0 || now > expected) {
            rate = now;
            inFlight = inside;
            return false;
        }
        return window.completed() < window.admitted() && inside > FEW && inside >= 2 * inFlight;
    }
}
