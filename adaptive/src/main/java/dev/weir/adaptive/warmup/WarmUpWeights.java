package dev.weir.adaptive.warmup;

import dev.weir.adaptive.internal.Durations;
import dev.weir.spi.RampCurve;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * How a client-side balancer opens up to a new instance: by a weight that rises from 1 to 100 with the instance's age,
 * while each of the others has 100. With one new instance among n the total is {@code 100 * (n - 1) + weight}. An only
 * instance has all of the load at any weight: there a {@link Ramp} must hold it back. Immutable.
 *
 * @param period after how long an instance is warm, more than 0
 */
public record WarmUpWeights(Duration period) {
    /** The weight of a warm instance. */
    public static final long FULL = 100;

    /** Checks the period. */
    public WarmUpWeights {
        Durations.nanos("period", period);
    }

    /**
     * The weight of an instance, 1 to 100, in proportion to its age: 15 after 15 of 100 seconds. An instance from the
     * future, by a clock that differs, has just started.
     */
    public long weight(Instant started, Instant now) {
        Objects.requireNonNull(started, "started");
        Objects.requireNonNull(now, "now");
        if (!started.isBefore(now)) {
            return 1;
        }
        Duration age = Duration.between(started, now);
        return age.compareTo(period) >= 0 ? FULL : weight((double) age.toNanos() / period.toNanos());
    }

    /** The weight when this part of the period has passed. */
    private static long weight(double part) {
        return Math.round(FULL * RampCurve.WEIGHTED.share(0, part));
    }

    /**
     * The sum of weights of n instances, one of which has this weight and each other 100.
     *
     * @throws IllegalArgumentException unless instances is at least 1 and weight within 1 and 100
     */
    public static long total(int instances, long weight) {
        if (instances < 1) {
            throw new IllegalArgumentException("instances must be >= 1, was " + instances);
        }
        if (weight < 1 || weight > FULL) {
            throw new IllegalArgumentException("weight must be within 1 and 100, was " + weight);
        }
        return FULL * (instances - 1) + weight;
    }

    /** The part of all the load that the new one of n instances gets at this weight; checked as {@link #total}. */
    public static double share(int instances, long weight) {
        return (double) weight / total(instances, weight);
    }
}
