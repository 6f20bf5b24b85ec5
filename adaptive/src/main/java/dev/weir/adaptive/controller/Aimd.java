package dev.weir.adaptive.controller;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import dev.weir.internal.Require;

/**
 * Additive increase, multiplicative decrease: {@code L + 1/L} for each success while there is demand, which is one more per
 * round trip, and {@code backoff * L} once for a window with losses, as TCP backs off once per round trip. A call that hangs
 * is a loss too, and counted once.
 *
 * <p>Source: congestion avoidance of TCP (Jacobson, 1988); for services Palantir's dialogue and, with an increase by
 * one for each <em>sample</em>, Netflix's concurrency-limits.
 *
 * <p>Known weakness: it sees overload only by losses, so it fills every queue up to the callers' timeout; where losses begin
 * only after throughput has collapsed, it reacts too late. It suits clients of a server that refuses early, and services
 * whose latency shows nothing.
 *
 * <p>Losses count without demand as well. Not thread-safe except {@link #why()}, which any thread may call.
 */
public final class Aimd implements Controller {
    private static final double DEFAULT_BACKOFF = 0.9;

    private final double backoff;
    private final FractionalLimit current = new FractionalLimit("aimd");
    private final Losses losses = new Losses();

    /** Backs off to 0.9 of the limit. */
    public Aimd() {
        this(DEFAULT_BACKOFF);
    }

    /**
     * Backs off by this factor.
     *
     * @param backoff more than 0 and less than 1
     * @throws IllegalArgumentException if it is not
     */
    public Aimd(double backoff) {
        this.backoff = checked(backoff);
    }

    private static double checked(double backoff) {
        Require.that(backoff > 0 && backoff < 1, "backoff must be > 0 and < 1", backoff);
        return backoff;
    }

    /** {@link #byRejections(double)} that backs off to 0.9 of the limit. */
    public static Controller byRejections() {
        return byRejections(DEFAULT_BACKOFF);
    }

    /**
     * A controller of the calls in flight to a provider that sets their number and tells it only by refusing, such as with the
     * status 429 or 529, or with {@code RESOURCE_EXHAUSTED}. Release a refused call as {@link dev.weir.Outcome#DROPPED}, and
     * one that failed otherwise, also by a time-out of yours, as {@link dev.weir.Outcome#IGNORED}. Latency is never looked at,
     * and a call that hangs is no loss.
     *
     * <p>The limit falls to {@code backoff} of itself once for a wave of rejections: those of calls that were admitted before do
     * not lower it again; and if a step up was refused, not below what was accepted before. It returns with successes to just
     * below the limit that was refused, and tries that again each one or two hundred successes. Where nothing has been refused
     * yet, or what was refused is accepted again, it rises by steps, one for each second in which it was used: 1, 2, 4 and so
     * on, up to a quarter. The number in flight must be limited: on a rate it has no meaning.
     *
     * <p>Several instances may share a provider, though not in equal parts. What was learned is the limit that was refused.
     *
     * <p>Known weakness: rejections that no limit on calls in flight prevents, such as for a quota of tokens, lower it to 1. Release
     * these as {@code IGNORED}, and limit the rate. If nothing at all is answered after a start, it rises for a minute.
     *
     * @param backoff more than 0 and less than 1
     * @throws IllegalArgumentException if it is not
     */
    public static Controller byRejections(double backoff) {
        return new ByRejections(checked(backoff));
    }

    @Override
    public long next(Window window, long limit) {
        double exact = current.at(limit);
        long lost = losses.in(window);
        if (lost > 0) {
            return current.to(backoff * exact, lost + " lost");
        }
        if (!window.hasDemand() || window.completed() <= 0) {
            return current.stay("no demand");
        }
        return current.to(exact + window.completed() / exact, window.completed() + " succeeded, none lost");
    }

    @Override
    public String why() {
        return current.why();
    }
}
