package dev.weir.adaptive.controller;

import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;

/**
 * A detector of calls that are long by nature, such as polls, streams and reports, by their age: a call is long when it is older
 * than five times the 80th percentile of latencies. By Little's law long calls need a certain number in flight whatever the limit
 * is. That number is added to the limit and subtracted from the windows, so that the other calls are measured as if they were
 * alone.
 *
 * <p>If more than a fifth of the calls become so old, the server is slow: then the number grows by one at a time only, so
 * that a server that hangs is not filled.
 */
final class LongCalls {
    private static final double LONG = 5;
    private static final double SLOW_SHARE = 0.2;
    private static final double FEW = 20;
    private static final double STEP = 10;
    private static final double MEMORY = 100;

    /**
     * The 80th percentile of latencies of the admitted calls. Completions alone do not show it: where long calls hold all
     * permits, only they complete.
     */
    private double usual;

    /* Calls older than this are long. It grows no faster than time, so a long call stays long until it ends. */
    private double longFrom;
    private double longShare;
    private long count;
    private double waited;

    long count() {
        return count;
    }

    Window without(Window window) {
        return without(window, window.latencies().plus(window.older()).replaceAbove(longest(), 0));
    }

    private Window without(Window window, Latencies others) {
        return window.toBuilder()
                .limit(Math.max(1, window.limit() - count))
                .inFlight(Math.max(0, window.minInFlight() - count), Math.max(0, window.maxInFlight() - count))
                .latencies(others, Latencies.NONE)
                .build();
    }

    private long longest() {
        return usual == 0 ? Long.MAX_VALUE : (long) Math.min(longFrom, 1e18);
    }

    /** True if there are by now so many more long calls than counted that they take permits from others. */
    boolean outgrowLimit(Window window) {
        return window.refused() + window.waiting() > 0
                && usual > 0
                && longShare <= SLOW_SHARE
                && window.ages().olderThan(Math.min(longFrom + window.nanos(), LONG * usual)) - count
                        > Math.max(1, window.limit() / 16);
    }

    /** Learns from a window which calls are long, and counts them. Returns the window without those counted until now. */
    Window learn(Window window) {
        Latencies ended = window.latencies().plus(window.older());
        if (usual == 0 && ended.count() < FEW) {
            return without(window);
        }
        if (usual == 0) {
            usual = Math.max(1, ended.quantile(1 - SLOW_SHARE));
            longFrom = LONG * usual;
        }
        double until = longFrom + window.nanos();
        longFrom = Math.min(until, LONG * usual);
        Latencies ages = window.ages().sample();
        int becameLong = ages.countAbove(longFrom)
                - ages.countAbove(until)
                + ended.countAbove(longFrom)
                - ended.countAbove(until);
        Window others = without(window, ended.replaceAbove(longest(), becameLong));
        learn(window, ended, becameLong);
        count(window);
        return others;
    }

    /* Each call counts once: when it ends, or when it becomes long. */
    private void learn(Window window, Latencies ended, double becameLong) {
        double all = ended.count() - ended.countAbove(longFrom) + becameLong;
        if (all <= 0) {
            boolean wrong = ended.count() >= FEW && window.ages().sample().count() == 0;
            usual = wrong ? 0 : usual; // nothing that ended was seen growing old: it starts over
            return;
        }
        for (double left = all; left > 0; left -= STEP) {
            double slow = Math.max(0, ended.countAbove(usual) - ended.countAbove(longFrom)) + becameLong;
            usual = Math.max(1, usual * StrictMath.exp(Math.min(left, STEP) / FEW * (slow / all - SLOW_SHARE)));
        }
        longShare += -StrictMath.expm1(-all / MEMORY) * (becameLong / all - longShare);
    }

    private void count(Window window) {
        long wanted = Math.round(window.ages().olderThan(longFrom));
        waited = wanted > count ? waited + window.nanos() : 0;
        if (longShare <= SLOW_SHARE || wanted < count) {
            count = wanted;
        } else if (waited >= LONG * usual) {
            count += 1;
            waited = 0;
        }
    }
}
