package dev.weir.adaptive.warmup;

import dev.weir.internal.Durations;
import dev.weir.spi.RampCurve;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * The weight of a new instance for a client-side load balancer: it rises from 1 to 100 with the age of the instance, while
 * each of the others has 100. With one new instance among n the total is {@code 100 * (n - 1) + weight}. A single instance
 * gets all of the load at any weight: use a {@link Ramp} there. Immutable.
 *
 * @param period the age at which an instance is warm, more than 0
 */
public record WarmUpWeights(Duration period) {
    /** The weight of a warm instance. */
    public static final long FULL = 100;

    /**
     * @throws IllegalArgumentException if it is not more than 0
     */
    public WarmUpWeights {
        Durations.nanos("period", period);
    }

    /**
     * The weight of an instance, 1 to 100, in proportion to its age: 15 after 15 of 100 seconds. An instance that started in
     * the future, by another clock, has just started.
     */
    public long weight(Instant started, Instant now) {
        Objects.requireNonNull(started, "started");
        Objects.requireNonNull(now, "now");
        if (!started.isBefore(now)) {
            return 1;
        }
        Duration age = Duration.between(started, now);
        return age.compareTo(period) >= 0
                ? FULL
                : Math.round(FULL * RampCurve.WEIGHTED.share(0, (double) age.toNanos() / period.toNanos()));
    }
}
