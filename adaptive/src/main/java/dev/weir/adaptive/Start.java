package dev.weir.adaptive;

/**
 * Watches in calm whether what is in flight is a crowd that brings nothing. As long as the limit is a first guess, that is
 * so where more comes in than goes out, what is in flight has doubled, and throughput has not grown with it. Later, where
 * bursts are let in on purpose, throughput must have fallen beyond doubt, but not to nearly nothing: that would be a pause.
 */
final class Start {
    private static final double GROWTH = 0.54;
    private static final double FEW = 8;
    private static final double CROWD = 1.5;
    private static final double ERRORS = 2;
    private static final double PAUSE = 0.4;

    private double inFlight;
    private Throughput best = Throughput.NONE;

    /** The most that came out, per nanosecond. */
    double rate() {
        return best == Throughput.NONE ? 0 : best.rate();
    }

    /** Forgets. */
    void again() {
        best = Throughput.NONE;
    }

    /** Whether this window shows a crowd, as long as nothing is proven. One in which the limit bound shows nothing. */
    boolean congested(Window window) {
        if (window.refused() + window.waiting() > 0) {
            return false;
        }
        double inside = inside(window);
        return !better(window, inside)
                && window.completed() < window.admitted()
                && inside > FEW
                && inside >= 2 * inFlight;
    }

    /** Whether this window shows that a burst above this knee does harm. */
    boolean harmed(Window window, double knee, double variation) {
        double inside = inside(window);
        Throughput now = Throughput.of(window);
        return !better(window, inside)
                && inside > CROWD * Math.max(knee, inFlight)
                && now.rate() > PAUSE * best.rate()
                && best.over(now) > ERRORS * best.error(now, variation);
    }

    private static double inside(Window window) {
        return (Math.max(0, (double) window.leastInFlight()) + Math.max(0, (double) window.mostInFlight())) / 2;
    }

    private boolean better(Window window, double inside) {
        Throughput now = Throughput.of(window);
        double expected = rate() * StrictMath.pow(Math.max(1, inside) / Math.max(1, inFlight), GROWTH);
        if (best == Throughput.NONE || now.rate() > expected) {
            best = now;
            inFlight = inside;
            return true;
        }
        return false;
    }
}
