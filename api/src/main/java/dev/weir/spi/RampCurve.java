package dev.weir.spi;

/** The curve along which a limit rises while it warms up. */
public enum RampCurve {
    /** By the same amount in each step: {@code floor + (1 - floor) * part}. */
    LINEAR,
    /** By the same factor in each step: {@code floor ^ (1 - part)}. */
    EXPONENTIAL,
    /**
     * As Guava's {@code RateLimiter} of the same cold factor {@code c = 1 / floor} when it is kept busy: slowly at first,
     * fast at the end. There the interval between permits falls in proportion to the stored permits spent, from {@code c}
     * stable intervals to one: {@code I dI/dt = -(c^2 - 1) / 2W} in units of the stable interval, so {@code I(t)^2 = c^2 -
     * (c^2 - 1) t/W}, and the rate is {@code 1/I} (SmoothRateLimiter.SmoothWarmingUp; c = 3 there, that is a floor of a
     * third).
     */
    GUAVA,
    /** In whole per cent, from one per cent, like the weight of a new instance in a load balancer. Ignores the floor. */
    WEIGHTED;

    /**
     * The share of the full limit.
     *
     * @param floor the share to start from, more than 0 and at most 1
     * @param part the part of the period that has passed, 0 to 1
     */
    public double share(double floor, double part) {
        return switch (this) {
            case LINEAR -> floor + (1 - floor) * part;
            case EXPONENTIAL -> StrictMath.pow(floor, 1 - part);
            case GUAVA -> {
                double cold = 1 / floor;
                yield 1 / Math.sqrt(cold * cold - (cold * cold - 1) * part);
            }
            case WEIGHTED -> Math.max(1, Math.floor(100 * part)) / 100;
        };
    }
}
