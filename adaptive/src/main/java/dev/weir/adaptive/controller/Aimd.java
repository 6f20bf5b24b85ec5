package dev.weir.adaptive.controller;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;

/**
 * Additive increase, multiplicative decrease: {@code L + 1/L} for each success while there is demand, which is one more a
 * round trip, and {@code backoff * L} once for a window in which anything was lost, as TCP backs off once a round trip. A
 * call that hangs is a loss too, and counted once.
 *
 * <p>SignalSource: congestion avoidance of TCP (Jacobson, 1988); for services Palantir's dialogue and, with one more for each
 * <em>sample</em>, Netflix's concurrency-limits.
 *
 * <p>Known weakness: it sees load only by what is lost, so it fills whatever queue there is up to the callers' time-out;
 * where losses begin only after throughput has collapsed, it comes too late. For clients of a server that refuses early, or
 * where latency tells nothing.
 *
 * <p>Losses count without demand as well. Keeps a few numbers; not thread-safe but for {@link #why()}.
 */
public final class Aimd implements Controller {
    private static final double USUAL_BACKOFF = 0.9;

    private final double backoff;
    private final FractionalLimit level = new FractionalLimit();
    private final Losses losses = new Losses();
    private volatile String why = "aimd: nothing yet";

    /** Backs off to nine tenths. */
    public Aimd() {
        this(USUAL_BACKOFF);
    }

    /**
     * Backs off by a factor of one's own.
     *
     * @param backoff more than 0 and less than 1
     * @throws IllegalArgumentException if it is not
     */
    public Aimd(double backoff) {
        if (!(backoff > 0 && backoff < 1)) {
            throw new IllegalArgumentException("backoff must be > 0 and < 1, was " + backoff);
        }
        this.backoff = backoff;
    }

    @Override
    public long next(Window window, long limit) {
        double present = level.at(limit);
        long lost = losses.in(window);
        if (lost > 0) {
            why = "aimd: " + lost + " lost";
            return level.to(backoff * present);
        }
        if (!window.hasDemand() || window.completed() <= 0) {
            why = "aimd: no demand";
            return level.stay();
        }
        why = "aimd: " + window.completed() + " succeeded, none lost";
        return level.to(present + window.completed() / present);
    }

    @Override
    public String why() {
        return why;
    }
}
