package dev.weir.adaptive.controller;

import java.util.Map;

/** Reads what an earlier process kept, which may be anything. */
final class RestoredValues {
    private static final double LONGEST = 3_600_000_000_000.0;

    private RestoredValues() {}

    /** A latency of up to an hour in nanoseconds; 0 if there is none. */
    static double latency(Map<String, Double> learned, String name) {
        Double kept = learned.get(name);
        return kept != null && kept > 0 && kept <= LONGEST ? kept : 0;
    }

    /** From 0 to 1; 0 if it is no number. */
    static double trust(double asked) {
        return asked > 0 ? Math.min(asked, 1) : 0;
    }
}
