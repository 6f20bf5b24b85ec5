package dev.weir.named.plan;

import dev.weir.internal.Require;
import java.math.BigInteger;
import java.time.Duration;

/**
 * A number of permits per time, such as {@code 100/s}. Ordered by what it grants in a long time.
 *
 * @param permits at least 1
 * @param period more than 0, at most 292 years
 */
public record PermitRate(long permits, Duration period) implements Comparable<PermitRate> {
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    /**
     * Checks the components.
     *
     * @throws IllegalArgumentException if a component is out of its range
     */
    public PermitRate {
        Require.that(permits >= 1, "permits must be >= 1", permits);
        boolean isPeriod = period.compareTo(Duration.ZERO) > 0 && period.compareTo(LONGEST) <= 0;
        Require.that(isPeriod, "period must be > 0 and <= 292 years", period);
    }

    @Override
    public int compareTo(PermitRate other) {
        return perPeriod(other.period).compareTo(other.perPeriod(period));
    }

    private BigInteger perPeriod(Duration otherPeriod) {
        return BigInteger.valueOf(otherPeriod.toNanos()).multiply(BigInteger.valueOf(permits));
    }
}
