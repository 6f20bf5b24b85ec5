package dev.weir.adaptive.controller;

import java.util.Map;

/** Checks of values that an earlier process saved, which may be anything. */
final class RestoredValues {
    private static final double MAX_LATENCY = 3_600_000_000_000.0;

    private RestoredValues() {}

    /** The latency of this name in nanoseconds, up to an hour; 0 if there is none. */
    static double latency(Map<String, Double> learned, String name) {
        Double saved = learned.get(name);
        return saved != null && saved > 0 && saved <= MAX_LATENCY ? saved : 0;
    }

    /** The trust within 0 and 1; 0 if it is NaN. */
    static double trust(double saved) {
        return saved > 0 ? Math.min(saved, 1) : 0;
    }
}
