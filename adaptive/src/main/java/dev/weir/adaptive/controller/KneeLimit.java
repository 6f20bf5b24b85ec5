package dev.weir.adaptive.controller;

/**
 * The limit that serves a knee, and the knee that a limit serves: {@code max(1.25 K, K + 1.8 sqrt K)}, a quarter above the
 * knee, or for small ones what square-root staffing adds (Halfin and Whitt, 1981).
 */
final class KneeLimit {
    private static final double HEADROOM = 1.8;
    private static final double FACTOR = 1.25;

    private KneeLimit() {}

    static double of(double knee) {
        return Math.max(FACTOR * knee, knee + HEADROOM * StrictMath.sqrt(knee));
    }

    static double knee(double limit) {
        double half = HEADROOM / 2;
        double root = StrictMath.sqrt(half * half + limit) - half;
        return Math.min(limit / FACTOR, root * root);
    }
}
