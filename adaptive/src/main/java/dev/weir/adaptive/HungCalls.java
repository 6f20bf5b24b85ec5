package dev.weir.adaptive;

/** An estimate of the number of calls that hang: those in flight for far longer than calls usually take. */
final class HungCalls {
    private static final double MIN_AGE = 1_000_000_000;
    private static final double TIMES = 10;
    private static final double WEIGHT = 0.05;

    private double usual;

    /** An estimate of the permits in flight that hang. */
    long among(Ages ages, Latencies latencies) {
        if (latencies.count() > 0) {
            usual = usual == 0 ? latencies.mean() : usual + WEIGHT * (latencies.mean() - usual);
        }
        return Math.round(ages.olderThan(Math.max(MIN_AGE, TIMES * usual)));
    }
}
