package dev.weir.adaptive.controller;

/** A limit with its fraction, which the dial does not show. What others put in its place becomes the place to start from. */
final class FractionalLimit {
    /** Up to here a double counts one by one. */
    private static final double MOST = 1L << 53;

    private double exact;
    private long shown;

    /** Where it stands, given what the dial shows. */
    double at(long limit) {
        if (limit != shown) {
            shown = Math.max(1, limit);
            exact = shown;
        }
        return exact;
    }

    /** Moves, within 1 and 2^53; stays where it is if that is no number. */
    long to(double next) {
        if (!Double.isNaN(next)) {
            exact = Math.max(1, Math.min(next, MOST));
            shown = (long) exact;
        }
        return shown;
    }

    long stay() {
        return shown;
    }
}
