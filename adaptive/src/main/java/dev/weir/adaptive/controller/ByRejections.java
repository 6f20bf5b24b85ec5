package dev.weir.adaptive.controller;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import java.util.Map;

/** The controller of {@link Aimd#byRejections}: the limit in flight that a provider accepts, found by its rejections alone. */
final class ByRejections implements Controller {
    /*
     * The course of the limit, W being the last limit that was refused:
     *
     *     search   there is no W. After each second in which the limit was used and nothing was refused, one step up; the steps
     *              are 1, 2, 4 and so on, at most a quarter of the limit. Once calls end, one must have succeeded since the last
     *              step, and not more may have failed otherwise; before the first of them ends, it rises for a minute.
     *     cut      a request was refused that was admitted after the last cut. W := limit. If the last step led to W, back to the
     *              limit before it, which was accepted, but at least to backoff * W; else to backoff * W.
     *     return   for each `limit` of successes, half of the way to W, at least a fortieth of W, until W - 1.
     *     hold     at W - 1, until a hundred calls have succeeded for the rejection and a hundred for the next; below a limit of
     *              20 fewer, so that an instance with a small share of the provider soon gets more. Then search from there.
     *
     * A wave cuts once. The provider accepts 80, rejections take 50 ms:
     *
     *     0 ms     100 are admitted, of which 20 will be refused
     *     50 ms    the first rejection: 100 -> 90. The others are of calls admitted before the cut, and change nothing. Then 80
     *              are in flight, so 10 are admitted
     *     100 ms   the first rejection of these: 90 -> 81
     */
    private static final long WINDOW = 100_000_000;

    /** At the moments at which it is measured, slightly less than the limit is in flight. */
    private static final double USED = 0.9;

    /** Rejections come within this time; what is in flight for longer is accepted. */
    private static final double ACCEPTED_AFTER = 1e9;

    /** For so long the limit rises though no call has ended yet. */
    private static final double UNANSWERED = 60e9;

    private static final double LARGEST_STEP = 0.25;

    /** The least return for each `limit` of successes, as a share of the limit that was refused. */
    private static final double SHORTEST_RETURN = 0.025;

    /** The number of successes that pay for a rejection, but no more than {@link #ROUNDS} limits of them. */
    private static final double PRICE = 100;

    private static final double ROUNDS = 5;

    private static final double MAX = 1L << 53;
    private static final double NONE = 0;
    private static final String REFUSED_AT = "refused-at";

    private final double backoff;
    private final FractionalLimit current = new FractionalLimit("aimd");
    private double refusedAt = NONE;
    private double accepted = NONE;
    private double step = 1;
    private double usedNanos;
    private double unansweredNanos;
    private double succeeded;
    private double ignored;
    /* The rejections that successes have paid for, from -1 to 1. */
    private double credit;

    ByRejections(double backoff) {
        this.backoff = backoff;
    }

    @Override
    public boolean enough(Window window) {
        return window.droppedSinceLowered() > 0 || window.nanos() >= WINDOW;
    }

    @Override
    public long next(Window window, long limit) {
        double exact = current.at(limit);
        double dropped = count(window.dropped());
        double completed = count(window.completed());
        credit = Math.min(1, Math.max(-1, credit + completed / Math.min(PRICE, ROUNDS * exact) - dropped));
        if (completed > 0) {
            unansweredNanos = UNANSWERED;
        }
        if (window.droppedSinceLowered() > 0) {
            return cut(Math.max(1, Math.min(exact, (double) window.limit())));
        }
        if (dropped > 0) {
            usedNanos = 0;
            return current.stay("refused calls are from before the last cut");
        }
        if (!isUsed(window, exact)) {
            return current.stay("no demand");
        }
        return refusedAt == NONE ? search(window, exact) : back(completed, exact);
    }

    private static double count(long permits) {
        return Math.max(0, Math.min((double) permits, MAX));
    }

    private static boolean isUsed(Window window, double exact) {
        return window.refused() > 0 || window.waiting() > 0 || window.maxInFlight() >= USED * exact;
    }

    private long cut(double limit) {
        double lower = Math.max(backoff * limit, accepted < limit ? accepted : NONE);
        refusedAt = limit;
        accepted = NONE;
        beginStep();
        step = 1;
        return current.to(lower, "refused at " + (long) limit);
    }

    private void beginStep() {
        usedNanos = 0;
        succeeded = 0;
        ignored = 0;
    }

    private long search(Window window, double exact) {
        usedNanos += window.nanos();
        unansweredNanos += window.nanos();
        succeeded += count(window.completed());
        ignored += count(window.ignored());
        boolean answered = succeeded >= Math.max(1, ignored) || (ignored == 0 && unansweredNanos < UNANSWERED);
        if (usedNanos < ACCEPTED_AFTER || !answered) {
            if (usedNanos >= ACCEPTED_AFTER && ignored > 0) {
                beginStep();
            }
            return current.stay("nothing refused at " + (long) exact + " yet");
        }
        beginStep();
        double up = Math.max(1, Math.min(step, LARGEST_STEP * exact));
        step = 2 * up;
        accepted = exact;
        return current.to(exact + up, "nothing refused at " + (long) exact);
    }

    private long back(double completed, double exact) {
        if (exact < refusedAt - 1) {
            double half = Math.max(1, Math.max((refusedAt - exact) / 2, refusedAt * SHORTEST_RETURN));
            double next = Math.min(refusedAt - 1, exact + Math.min(1, completed / exact) * half);
            return current.to(next, "back to less than " + (long) refusedAt + ", which was refused");
        }
        if (credit < 1) {
            return current.stay("at the limit, " + (long) refusedAt + " was refused");
        }
        refusedAt = NONE;
        accepted = exact;
        beginStep();
        step = 1;
        return current.to(exact + 1, "tries more than " + (long) exact + " again");
    }

    @Override
    public String why() {
        return current.why();
    }

    /** The last refused limit, so that the next process does not have to be refused to know it. */
    @Override
    public Map<String, Double> learned() {
        return refusedAt == NONE ? Map.of() : Map.of(REFUSED_AT, refusedAt);
    }

    @Override
    public void restore(Map<String, Double> learned, double trust) {
        Double saved = learned.get(REFUSED_AT);
        if (saved != null && saved >= 1 && saved <= MAX && trust >= 0.5) {
            refusedAt = saved;
        }
    }
}
