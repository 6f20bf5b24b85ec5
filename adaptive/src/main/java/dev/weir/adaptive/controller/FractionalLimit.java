package dev.weir.adaptive.controller;

/**
 * A limit with its fraction, which the limiter cannot hold, and the rule behind it. If something else sets the limit, it
 * continues from there.
 */
final class FractionalLimit {
    /** Up to here a double holds each integer. */
    private static final double MAX = 1L << 53;

    private final String controller;
    private double exact;
    private long shown;
    private volatile String why;

    FractionalLimit(String controller) {
        this.controller = controller;
        this.why = controller + ": nothing yet";
    }

    /** The controller and its last rule. */
    String why() {
        return why;
    }

    /** The exact limit, given the one in force. */
    double at(long limit) {
        if (limit != shown) {
            shown = Math.max(1, limit);
            exact = shown;
        }
        return exact;
    }

    /** Sets it, within 1 and 2^53; unchanged if that is NaN. Returns the limit to put in force. */
    long to(double next) {
        if (!Double.isNaN(next)) {
            exact = Math.max(1, Math.min(next, MAX));
            shown = (long) exact;
        }
        return shown;
    }

    /** As {@link #to(double)}, by this rule. */
    long to(double next, String rule) {
        why = controller + ": " + rule;
        return to(next);
    }

    /** Leaves it as it is, by this rule. */
    long stay(String rule) {
        why = controller + ": " + rule;
        return shown;
    }
}
