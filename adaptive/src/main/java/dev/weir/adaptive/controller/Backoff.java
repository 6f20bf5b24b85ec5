package dev.weir.adaptive.controller;

/** How long something that failed is not tried again: 30 s at first, twice as long each time, up to ten minutes. */
final class Backoff {
    private static final double BRIEF = 30e9;
    private static final double LONGEST = 600e9;

    private double next = BRIEF;
    private double left;

    /** Begins one, twice as long as the last. */
    void begin() {
        left = next;
        next = Math.min(LONGEST, 2 * next);
    }

    /** Begins one of the first length, which does not count. */
    void beginBrief() {
        left = BRIEF;
    }

    /** Time goes by; true if that ends it. */
    boolean endsAfter(long nanos) {
        boolean ran = left > 0;
        left = Math.max(0, left - nanos);
        return ran && left == 0;
    }
}
