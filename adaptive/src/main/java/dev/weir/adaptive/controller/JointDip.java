package dev.weir.adaptive.controller;

import dev.weir.adaptive.Window;

/**
 * A schedule of joint dips: at the same moments of the time of day, the multiples of 6.4 s, all instances before one server
 * lower their limits for one slot. Alone an instance cannot tell a server that is slow from one that is full of the calls of
 * others; while all are low, the latency is that of the unloaded server.
 */
final class JointDip {
    private static final long GRID = 6_400;
    private static final long SLOT = 100;
    private static final double LATENCIES = 4;
    private static final double MILLI = 1e6;

    private long last = Long.MIN_VALUE; // the multiple of the last dip
    private long lastAt;
    private double left; // of the present dip; 0 between dips
    private double settles;

    /** Whether a dip is under way. */
    boolean on() {
        return left > 0;
    }

    /** Whether one begins now, with this mean latency. */
    boolean due(Window window, double latency) {
        long slot = slot(latency);
        long grid = Math.max(GRID, 2 * slot);
        long late = Math.floorMod(window.epochMillis(), grid);
        return window.epochMillis() > 0
                && late < slot / 4
                && (last == Long.MIN_VALUE
                        || window.epochMillis() - late != last && window.at() - lastAt > GRID / 2 * MILLI);
    }

    /** The length of a slot in milliseconds, a power of two, so that the slots of instances begin together. */
    private static long slot(double latency) {
        long slot = SLOT;
        while (slot * MILLI < LATENCIES * latency && slot < GRID) {
            slot *= 2;
        }
        return slot;
    }

    /** Lets the present moment of the schedule pass without a dip. */
    void skip(Window window, double latency) {
        last = window.epochMillis() - Math.floorMod(window.epochMillis(), Math.max(GRID, 2 * slot(latency)));
        lastAt = window.at();
    }

    /** Begins one. */
    void begin(Window window, double latency) {
        long slot = slot(latency);
        skip(window, latency);
        double late = Math.floorMod(window.epochMillis(), Math.max(GRID, 2 * slot)) * MILLI;
        settles = slot * MILLI / 4 - late;
        left = slot * MILLI - late;
    }

    /** Whether this window reaches the end of the settling, or of the dip. */
    boolean complete(Window window) {
        return window.nanos() >= (settles > 0 ? settles : left);
    }

    /** Ends a window; true if it is the measured one, and so the dip is over. */
    boolean ends(Window window) {
        boolean measured = settles == 0;
        left = measured ? 0 : Math.max(1, left - window.nanos());
        settles = 0;
        return measured;
    }
}
