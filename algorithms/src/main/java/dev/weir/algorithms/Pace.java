package dev.weir.algorithms;

import java.math.BigInteger;

/** A rate in exact integers: how many units have arrived after so many nanoseconds, and when so many will have. */
final class Pace {
    /*
     * A permit is `unit` units; `scale` units arrive together, and arrivals/den arrivals happen a nanosecond. The unit
     * is chosen so fine that an arrival happens every nanosecond or oftener (den = 1) where that fits into 60 bits;
     * else as fine as fits. Nothing is rounded from one call to the next, so a rate does not drift.
     *
     *     arrived(e) = floor(e * arrivals / den)
     *                = e * whole + floor(e * fraction / 2^64) + (0 or 1)
     *
     * with whole = arrivals / den and fraction = floor((arrivals % den) * 2^64 / den): the error of the fraction is
     * below 1 after any e < 2^63, and the remainder, exact in wrapping arithmetic, tells which of the two it is.
     */
    private static final BigInteger TWO_64 = BigInteger.ONE.shiftLeft(64);
    private static final BigInteger TWO_61 = BigInteger.ONE.shiftLeft(61);

    final long unit;
    final long maxElapsed;
    final long scale;
    private final boolean batched;
    private final long arrivals;
    private final long den;
    private final long whole;
    private final long fraction;

    private Pace(long unit, long arrivals, long den, long scale, boolean batched) {
        this.batched = batched;
        this.unit = unit;
        this.arrivals = arrivals;
        this.den = den;
        this.scale = scale;
        this.whole = arrivals / den;
        this.fraction = BigInteger.valueOf(arrivals % den)
                .multiply(TWO_64)
                .divide(BigInteger.valueOf(den))
                .longValue();
        BigInteger most = TWO_61.multiply(BigInteger.valueOf(den))
                .divide(BigInteger.valueOf(arrivals).multiply(BigInteger.valueOf(scale)));
        this.maxElapsed = most.min(TWO_61.shiftLeft(1)).longValue();
    }

    /** So many permits a period, arriving one by one, as fine as a bucket of {@code capacity} permits can count. */
    static Pace even(long permits, long period, long capacity) {
        long divisor = gcd(permits, period);
        long p = permits / divisor;
        long per = period / divisor;
        long unit = Math.max(1, Math.min(per, Math.min(Check.MOST / capacity, Check.MOST / p)));
        long common = gcd(p * unit, per);
        return new Pace(unit, p * unit / common, per / common, 1, false);
    }

    /** So many permits a period, arriving all at once when it ends. */
    static Pace batched(long permits, long period) {
        return new Pace(1, 1, period, permits, true);
    }

    /** How many of {@code permits} a period refill steadily in so many nanoseconds, 0 or more: rounded down, saturates. */
    static long refilled(long permits, long period, long nanos) {
        if (Math.multiplyHigh(permits, nanos) == 0 && permits * nanos >= 0) {
            return permits * nanos / period;
        }
        BigInteger all =
                BigInteger.valueOf(permits).multiply(BigInteger.valueOf(nanos)).divide(BigInteger.valueOf(period));
        return all.bitLength() > 62 ? Long.MAX_VALUE : all.longValue();
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    /** Units that have arrived after {@code elapsed} nanoseconds, 0 to {@link #maxElapsed}. */
    long arrived(long elapsed) {
        return den == 1 ? elapsed * arrivals * scale : count(elapsed) * scale;
    }

    /** The same, rounded up to the unit that is on its way; batches are not on their way. */
    long arriving(long elapsed) {
        if (den == 1) {
            return elapsed * arrivals * scale;
        }
        long count = count(elapsed);
        return !batched && elapsed * arrivals != count * den ? count + 1 : count * scale;
    }

    private long count(long elapsed) {
        long high = Math.multiplyHigh(elapsed, fraction) + ((fraction >> 63) & elapsed);
        long count = elapsed * whole + high;
        return elapsed * arrivals - count * den >= den ? count + 1 : count;
    }

    /** In how many nanoseconds from {@code elapsed} another {@code units} will have arrived; saturates. */
    long nanosUntil(long units, long elapsed) {
        if (den == 1 && scale == 1) {
            return arrivals == 1 ? units : (units - 1) / arrivals + 1;
        }
        long rest = elapsed * arrivals - count(elapsed) * den;
        long needed = scale == 1 ? units : (units + scale - 1) / scale;
        if (Math.multiplyHigh(needed, den) == 0 && needed * den >= 0) {
            long ticks = needed * den - rest;
            return arrivals == 1 ? ticks : (ticks - 1) / arrivals + 1;
        }
        BigInteger ticks =
                BigInteger.valueOf(needed).multiply(BigInteger.valueOf(den)).subtract(BigInteger.valueOf(rest));
        BigInteger nanos = ticks.subtract(BigInteger.ONE)
                .divide(BigInteger.valueOf(arrivals))
                .add(BigInteger.ONE);
        return nanos.bitLength() > 62 ? Long.MAX_VALUE - 1 : nanos.longValue();
    }

    /** The latest instant not after {@code elapsed} at which a whole number of units had arrived. */
    long lastWhole(long elapsed) {
        return elapsed - Math.floorMod(elapsed, den);
    }
}
