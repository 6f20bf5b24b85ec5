package dev.weir.spi;

import java.math.BigInteger;

/**
 * The account of a rate: how many of the permits that it granted have not refilled, and at what speed they do. It is what moves when
 * one rate replaces another, when a key is evicted, and when a process is started again. Immutable.
 *
 * <p>Permits refill steadily. For each earlier instant, take the permits granted since then, and subtract those that have refilled
 * since then: {@code used} is the largest of these differences. Example: a rate of 10 a second granted 10 permits half a second ago;
 * then 5 have refilled, and 5 are used.
 *
 * @param permits permits that refill per period, at least 1
 * @param period nanoseconds, at least 1
 * @param burst the most permits granted at one instant, at least 1
 * @param used permits granted and not refilled, rounded up, at least 0; may exceed the burst
 */
public record Account(long permits, long period, long burst, long used) {
    private static final int MAX_BITS = 61;

    /** @throws IllegalArgumentException if {@code used} is negative or another component less than 1 */
    public Account {
        atLeast(1, "permits", permits);
        atLeast(1, "period", period);
        atLeast(1, "burst", burst);
        atLeast(0, "used", used);
    }

    private static void atLeast(long min, String name, long value) {
        if (value < min) {
            throw new IllegalArgumentException(name + " must be >= " + min + ", was " + value);
        }
    }

    /** The same rate with another use. */
    public Account withUsed(long permitsUsed) {
        return new Account(permits, period, burst, permitsUsed);
    }

    /** In how many nanoseconds everything that is used will have refilled, rounded up; at most 2^61. */
    public long nanosUntilRefilled() {
        return nanosUntilRefilled(used);
    }

    /** In how many nanoseconds this many permits refill, rounded up; at most 2^61, and 0 for less than 1. */
    public long nanosUntilRefilled(long ofPermits) {
        if (ofPermits <= 0) {
            return 0;
        }
        BigInteger nanos = BigInteger.valueOf(ofPermits)
                .multiply(BigInteger.valueOf(period))
                .add(BigInteger.valueOf(permits - 1))
                .divide(BigInteger.valueOf(permits));
        return nanos.bitLength() > MAX_BITS ? 1L << MAX_BITS : nanos.longValue();
    }
}
