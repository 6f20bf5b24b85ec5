package dev.weir.store.state;

import java.math.BigInteger;

/** Arithmetic of units and microseconds, which saturates. A unit is the common divisor of what a permit costs and what leaks. */
final class Units {
    /** The largest number of a state: the sum of two is exact as a double. */
    static final long MOST = 1L << 52;

    private static final long BOUND = 1L << 62;

    private Units() {}

    /** The product of a number of at most 62 bits and one that is not negative, between -2^62 and 2^62. */
    static long times(long number, long factor) {
        long low = number * factor;
        long high = Math.multiplyHigh(number, factor);
        boolean fits = high == low >> 63 && low < BOUND && low > -BOUND;
        return fits ? low : number < 0 ? -BOUND : BOUND;
    }

    /** The rest of the units after this time. */
    static long drained(long units, long leak, long micros) {
        return Math.max(0, units - times(micros, leak));
    }

    /** Microseconds until so many units have leaked. */
    static long micros(long units, long leak) {
        return units <= 0 ? 0 : (units - 1) / leak + 1;
    }

    /** Between 0 and {@link #MOST}. */
    static long added(long units, long more) {
        return Math.max(0, Math.min(MOST, units + more));
    }

    /** The product of two numbers that are not negative, divided by a third, rounded down; at most {@code Long.MAX_VALUE}. */
    static long scaled(long number, long factor, long divisor) {
        if (Math.multiplyHigh(number, factor) == 0 && number * factor >= 0) {
            return number * factor / divisor;
        }
        BigInteger scaled =
                BigInteger.valueOf(number).multiply(BigInteger.valueOf(factor)).divide(BigInteger.valueOf(divisor));
        return scaled.bitLength() < Long.SIZE ? scaled.longValue() : Long.MAX_VALUE;
    }

    /**
     * @throws IllegalArgumentException if the value is less than this or more than {@link #MOST}
     */
    static void inRange(String name, long value, long least) {
        if (value < least || value > MOST) {
            throw new IllegalArgumentException(name + " must be >= " + least + " and <= 2^52, was " + value);
        }
    }
}
