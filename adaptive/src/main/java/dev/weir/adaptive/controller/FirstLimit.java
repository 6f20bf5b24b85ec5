package dev.weir.adaptive.controller;

import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;

/**
 * The first limit, which is a guess: it is approached in steps while calls end, and given up where they show congestion. Each
 * time the number in flight has doubled, fewer of the calls that began since must end within the usual time than before. Calls
 * still in flight count by their ages, so that the short calls, which end first, do not hide it.
 */
final class FirstLimit {
    private static final long LARGE = 64;
    private static final double ENOUGH = 24;
    private static final double FEW = 8;
    private static final double QUANTILE = 0.9;
    private static final double TOLERANCE = 0.95;
    private static final double ERRORS = 2.5;
    private static final double QUIET = 10e9;
    private static final double LATENCIES = 40;

    private long wanted;
    private double endedSince; // the limit was doubled
    private double quiet; // since when the limit has not bound
    private long now; // the most in flight since
    private long most; // before

    /* The stage before, which ended when the number in flight had doubled: calls ended by calls in flight and time, the 90th
    percentile of latencies, the number in flight, and of how many latencies this is. */
    private double hazard;
    private double usual;
    private double inFlightBefore;
    private double sampledBefore;

    /* The present stage. */
    private double area; // calls times nanoseconds in flight
    private double ended;
    private double nanos;
    private Latencies latencies = Latencies.NONE;
    private double inTime;
    private double late;

    /* All stages. */
    private double allArea;
    private double allEnded;
    private double best;
    private double least = Double.POSITIVE_INFINITY;

    void want(long limit) {
        wanted = limit;
    }

    long start() {
        return Math.min(wanted, LARGE);
    }

    /** The limit to be approached; 0 if it was not told. */
    long wanted() {
        return wanted;
    }

    /** The next limit on the way: doubled each time some calls have ended, so that a server that hangs gets no more. */
    double next(Window window, long limit) {
        endedSince += window.completed();
        boolean enough = endedSince >= Math.min(limit / 4.0, (double) LARGE);
        endedSince = enough ? 0 : endedSince;
        double next = window.maxInFlight() <= 0 ? wanted : enough ? 2.0 * limit : limit;
        return Math.min(next, (double) wanted);
    }

    /** Adds a window in which the limit did not bind, with this mean latency. */
    void quiet(Window window, double latency) {
        quiet += window.nanos();
        now = Math.max(now, window.maxInFlight());
        if (quiet >= Math.max(QUIET, LATENCIES * latency)) {
            most = Math.max(most, now);
            now = 0;
            quiet = 0;
        }
    }

    /** The most in flight while the limit did not bind; 0 if that was not for long. */
    double most() {
        return most;
    }

    /** Adds a window. Returns true if it shows congestion. */
    boolean congested(Window window) {
        add(window);
        double inFlight = Demand.inFlight(window);
        if (Math.min(ended, latencies.count()) < ENOUGH || inFlight < 2 * inFlightBefore || inFlight <= FEW) {
            return false;
        }
        if (hazard > 0 && falls(window)) {
            return true;
        }
        hazard = ended / area;
        usual = Math.max(1, latencies.quantile(QUANTILE));
        sampledBefore = latencies.count();
        inFlightBefore = inFlight;
        area = 0;
        ended = 0;
        nanos = 0;
        latencies = Latencies.NONE;
        inTime = 0;
        late = 0;
        return false;
    }

    private void add(Window window) {
        double done = Math.max(0, (double) window.completed()) + Math.max(0, (double) window.dropped());
        double inFlight = Demand.inFlight(window) * window.nanos();
        Latencies some = window.latencies().plus(window.older());
        area += inFlight;
        ended += done;
        nanos += window.nanos();
        latencies = latencies.plus(some);
        allArea += inFlight;
        allEnded += done;
        least = allEnded >= ENOUGH ? Math.min(least, allArea / allEnded) : least;
        best = ended >= ENOUGH ? Math.max(best, ended / nanos) : best;
        if (hazard > 0 && some.count() > 0) {
            double slow = some.countAbove(Math.min(usual, nanos));
            late += done * (slow - some.countAbove(nanos)) / some.count();
            inTime += done * (some.count() - slow) / some.count();
        }
    }

    /* Of the calls that began in this stage, and are as old as usual calls get. */
    private boolean falls(Window window) {
        double aged =
                window.ages().olderThan(Math.min(usual, nanos)) - window.ages().olderThan(nanos);
        double all = inTime + Math.max(0, late + aged);
        double expected = Math.min(QUANTILE, -StrictMath.expm1(-usual * hazard));
        double sampled = Math.min(
                all, latencies.count() + (double) window.ages().sample().count());
        double error = StrictMath.sqrt(expected * (1 - expected) * (1 / sampled + 1 / sampledBefore));
        return all >= ENOUGH && TOLERANCE * expected - inTime / all > ERRORS * error;
    }

    /** The number being served at the highest rate at which calls ended, if each needs this time alone. */
    double served(double unloaded) {
        return best * unloaded;
    }

    /** The least mean time in flight; 0 if unknown. */
    double least() {
        return least == Double.POSITIVE_INFINITY ? 0 : least;
    }
}
