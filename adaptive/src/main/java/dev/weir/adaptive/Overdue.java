package dev.weir.adaptive;

import dev.weir.engine.ManagedLimiter;

/** Estimates how many calls hang: have been in flight for far longer than calls usually take. */
final class Overdue {
    private static final long LOOKS_EVERY = 100_000_000;
    private static final long NEVER_BEFORE = 1_000_000_000;
    private static final double TIMES = 10;
    private static final double WEIGHT = 0.05;

    private double usual;
    private long lookedAt;
    private long last;

    /** The share of the timed ones that are overdue, of all that are in flight. */
    long among(ManagedLimiter limiter, Latencies latencies, long now) {
        if (latencies.count() > 0) {
            usual = usual == 0 ? latencies.mean() : usual + WEIGHT * (latencies.mean() - usual);
        }
        if (now - lookedAt >= LOOKS_EVERY || now - lookedAt < 0) {
            lookedAt = now;
            last = count(limiter);
        }
        return last;
    }

    private long count(ManagedLimiter limiter) {
        long[] ages = limiter.timedAges();
        double patience = Math.max(NEVER_BEFORE, TIMES * usual);
        long hanging = 0;
        for (long age : ages) {
            hanging += age > patience ? 1 : 0;
        }
        return ages.length == 0 ? 0 : Math.round((double) hanging / ages.length * limiter.inFlight());
    }
}
