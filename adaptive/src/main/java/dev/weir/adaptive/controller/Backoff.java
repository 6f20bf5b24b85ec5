package dev.weir.adaptive.controller;

/** Exponential backoff: 30 s after the first failure, twice as long after each further one, up to ten minutes. */
final class Backoff {
    private static final double SHORTEST = 30e9;
    private static final double LONGEST = 600e9;

    private double next = SHORTEST;
    private double left;

    /** Starts a wait, twice as long as the last. */
    void begin() {
        left = next;
        next = Math.min(LONGEST, 2 * next);
    }

    /** Starts a wait of 30 s, which does not lengthen the next. */
    void beginShort() {
        left = SHORTEST;
    }

    /** Lets this time pass; true if it ends the wait. */
    boolean endsAfter(long nanos) {
        boolean ran = left > 0;
        left = Math.max(0, left - nanos);
        return ran && left == 0;
    }
}
