package dev.weir.adaptive.controller;

import dev.weir.adaptive.Window;

/**
 * A limit above which the server becomes slower, for instance because it thrashes: it is not exceeded for a while. Lower
 * throughput with more in flight is a suspicion only. It is decided when fewer are in flight: if throughput is clearly higher then,
 * the ceiling is between the two. When its backoff ends it is raised by half, so that a server that has grown is found step by step; and at
 * once where throughput still grows with the limit right below it, for a short pause can look like harm.
 */
final class Ceiling {
    private static final double NONE = 1e9;
    private static final double RAISE = 1.5;

    private final Backoff backoff = new Backoff();
    private double limit = NONE;
    private double between;
    private Throughput fewer = Throughput.NONE;
    private Throughput more = Throughput.NONE;

    double limit() {
        return limit;
    }

    /** Raises the ceiling by half; does nothing if there is none. */
    void raise() {
        limit = Math.min(NONE, RAISE * limit);
    }

    /** Records that throughput was lower with more in flight than with fewer; the limit of each is the number in flight. */
    void suspect(Throughput withFewer, Throughput withMore) {
        fewer = withFewer;
        more = withMore;
        between = Math.sqrt(Math.max(1, fewer.limit()) * Math.max(1, more.limit()));
    }

    /**
     * Confirms or withdraws the suspicion by this window.
     *
     * @param steady whether it was measured after the last change of the limit had settled
     */
    void update(Window window, double variation, boolean steady) {
        if (backoff.endsAfter(window.nanos()) && limit < NONE) {
            raise();
            backoff.beginShort();
        }
        if (fewer == Throughput.NONE) {
            return;
        }
        Throughput now = Throughput.of(window);
        if (Demand.inFlight(window) < between && steady && now.done() + now.lost() > 0) {
            if (more.below(now, variation)) {
                limit = Math.max(1, between);
                backoff.begin();
            }
            fewer = Throughput.NONE;
        }
    }
}
