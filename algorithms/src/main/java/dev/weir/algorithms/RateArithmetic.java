package dev.weir.algorithms;

import java.math.BigInteger;

/** A rate in exact integers: the units that arrive in a number of nanoseconds, and the nanoseconds until units arrive. */
final class RateArithmetic {
    /*
     * A permit is `unit` units. `batch` units arrive together, `arrivals / denominator` times per nanosecond. The unit is
     * so fine that a batch arrives at least every nanosecond (denominator = 1) if that fits into 60 bits; otherwise as fine
     * as fits. No rounding is carried from one call to the next, so a rate does not drift.
     *
     *     arrived(e) = floor(e * arrivals / denominator)
     *                = e * whole + floor(e * fraction / 2^64) + (0 or 1)
     *
     * with whole = arrivals / denominator and fraction = floor((arrivals % denominator) * 2^64 / denominator). The error of
     * the fraction is below 1 for every e < 2^63; the remainder, exact in wrapping arithmetic, decides between 0 and 1.
     */
    private static final BigInteger TWO_64 = BigInteger.ONE.shiftLeft(64);
    private static final BigInteger TWO_61 = BigInteger.ONE.shiftLeft(61);

    final long unit;
    final long maxElapsed;
    final long batch;
    private final boolean periodic;
    private final long arrivals;
    private final long denominator;
    private final long whole;
    private final long fraction;

    private RateArithmetic(long unit, long arrivals, long denominator, long batch, boolean periodic) {
        this.periodic = periodic;
        this.unit = unit;
        this.arrivals = arrivals;
        this.denominator = denominator;
        this.batch = batch;
        this.whole = arrivals / denominator;
        this.fraction = BigInteger.valueOf(arrivals % denominator)
                .multiply(TWO_64)
                .divide(BigInteger.valueOf(denominator))
                .longValue();
        BigInteger max = TWO_61.multiply(BigInteger.valueOf(denominator))
                .divide(BigInteger.valueOf(arrivals).multiply(BigInteger.valueOf(batch)));
        this.maxElapsed = max.min(TWO_61.shiftLeft(1)).longValue();
    }

    /** Permits per period that arrive one by one, in units as fine as a bucket of {@code capacity} permits can count. */
    static RateArithmetic even(long permits, long period, long capacity) {
        long divisor = gcd(permits, period);
        long p = permits / divisor;
        long per = period / divisor;
        long unit = Math.max(1, Math.min(per, Math.min(Check.MAX_PERMITS / capacity, Check.MAX_PERMITS / p)));
        long common = gcd(p * unit, per);
        return new RateArithmetic(unit, p * unit / common, per / common, 1, false);
    }

    /** Permits per period that arrive together at the end of each period. */
    static RateArithmetic periodic(long permits, long period) {
        return new RateArithmetic(1, 1, period, permits, true);
    }

    /** The permits that refill steadily in {@code nanos} nanoseconds (0 or more), rounded down; saturates. */
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

    /** The units that have arrived after {@code elapsed} nanoseconds, 0 to {@link #maxElapsed}. */
    long arrived(long elapsed) {
        return denominator == 1 ? elapsed * arrivals * batch : count(elapsed) * batch;
    }

    /** The same, rounded up to the next unit. A batch is not rounded up. */
    long arriving(long elapsed) {
        if (denominator == 1) {
            return elapsed * arrivals * batch;
        }
        long count = count(elapsed);
        return !periodic && elapsed * arrivals != count * denominator ? count + 1 : count * batch;
    }

    private long count(long elapsed) {
        long high = Math.multiplyHigh(elapsed, fraction) + ((fraction >> 63) & elapsed);
        long count = elapsed * whole + high;
        return elapsed * arrivals - count * denominator >= denominator ? count + 1 : count;
    }

    /** The nanoseconds from {@code elapsed} until another {@code units} have arrived; saturates. */
    long nanosUntil(long units, long elapsed) {
        if (denominator == 1 && batch == 1) {
            return arrivals == 1 ? units : (units - 1) / arrivals + 1;
        }
        long rest = elapsed * arrivals - count(elapsed) * denominator;
        long needed = batch == 1 ? units : (units + batch - 1) / batch;
        if (Math.multiplyHigh(needed, denominator) == 0 && needed * denominator >= 0) {
            long ticks = needed * denominator - rest;
            return arrivals == 1 ? ticks : (ticks - 1) / arrivals + 1;
        }
        BigInteger ticks = BigInteger.valueOf(needed)
                .multiply(BigInteger.valueOf(denominator))
                .subtract(BigInteger.valueOf(rest));
        BigInteger nanos = ticks.subtract(BigInteger.ONE)
                .divide(BigInteger.valueOf(arrivals))
                .add(BigInteger.ONE);
        return nanos.bitLength() > 62 ? Long.MAX_VALUE - 1 : nanos.longValue();
    }

    /** The latest instant, not after {@code elapsed}, at which the number of arrived units was whole. */
    long lastWhole(long elapsed) {
        return elapsed - Math.floorMod(elapsed, denominator);
    }
}
