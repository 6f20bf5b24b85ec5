package dev.weir.adaptive.controller;

import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;

/**
 * Tells calls that are long by nature, such as polls, streams and reports, from the others by their age: one that is older
 * than five times what four of five calls take is parked. By Little's law long calls need a certain number in flight
 * whatever the limit is; that number is added to the limit and left out of what is measured, so that the others are judged
 * as if they were alone.
 *
 * <p>Where more than a fifth of the calls become so old, that is the server and not their nature: then one more is parked
 * at a time only, lest a server that hangs is filled.
 */
final class LongCalls {
    private static final double LONG = 5;
    private static final double SLOW_SHARE = 0.2;
    private static final double FEW = 20;
    private static final double STEP = 10;
    private static final double MEMORY = 100;

    /** What four of five of the admitted calls take. Completions alone would not show it: where long calls hold all of the
     * limit, only they complete. */
    private double usual;

    /* Calls older than this are long. It grows no faster than time goes by, so a parked call stays parked until it ends. */
    private double longFrom;
    private double longShare;
    private long parked;
    private double waited;

    /** How many are parked. */
    long parked() {
        return parked;
    }

    /** The window as if what is parked were not there. */
    Window without(Window window) {
        return without(window, window.latencies().plus(window.older()).replaceAbove(longest(), 0));
    }

    private Window without(Window window, Latencies others) {
        return window.toBuilder()
                .limit(Math.max(1, window.limit() - parked))
                .inFlight(Math.max(0, window.leastInFlight() - parked), Math.max(0, window.mostInFlight() - parked))
                .latencies(others, Latencies.NONE)
                .build();
    }

    private long longest() {
        return usual == 0 ? Long.MAX_VALUE : (long) Math.min(longFrom, 1e18);
    }

    /** Whether more are long by now than are parked, so many that they take the place of others. */
    boolean crowded(Window window) {
        return window.refused() + window.waiting() > 0
                && usual > 0
                && longShare <= SLOW_SHARE
                && window.ages().olderThan(Math.min(longFrom + window.nanos(), LONG * usual)) - parked
                        > Math.max(1, window.limit() / 16);
    }

    /** Learns from a window what is long, and parks; the window as if what was parked until now were not there. */
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
        learn(ended, becameLong);
        park(window);
        return others;
    }

    /* Each call counts once: when it ends, or when it becomes long. */
    private void learn(Latencies ended, double becameLong) {
        double all = ended.count() - ended.countAbove(longFrom) + becameLong;
        if (all <= 0) {
            return;
        }
        for (double left = all; left > 0; left -= STEP) {
            double slow = Math.max(0, ended.countAbove(usual) - ended.countAbove(longFrom)) + becameLong;
            usual = Math.max(1, usual * StrictMath.exp(Math.min(left, STEP) / FEW * (slow / all - SLOW_SHARE)));
        }
        longShare += -StrictMath.expm1(-all / MEMORY) * (becameLong / all - longShare);
    }

    private void park(Window window) {
        long wanted = Math.round(window.ages().olderThan(longFrom));
        waited = wanted > parked ? waited + window.nanos() : 0;
        if (longShare <= SLOW_SHARE || wanted < parked) {
            parked = wanted;
        } else if (waited >= LONG * usual) {
            parked += 1;
            waited = 0;
        }
    }
}
