package dev.weir.spi;

import java.math.BigInteger;

/** Permits that were granted before a change and have not refilled: a linear bucket. Guarded by its owner's lock. */
final class Debt {
    /*
     * `missing` permits less `leaked / period` are owed. A step of the clock leaks step * permits / period; the remainder
     * of the division is kept, so nothing is rounded from one step to the next. A clock that runs back leaks nothing.
     */
    private Flow flow;
    private long capacity;
    private long missing;
    private long leaked;
    private long last;

    /** So many permits are missing from a bucket that is as large as the burst, and at least as large as they are. */
    Debt(Flow flow, long missing, long now) {
        this.flow = flow;
        this.missing = missing;
        this.capacity = Math.max(flow.burst(), missing);
        this.last = now;
    }

    /** What refills in so many nanoseconds at this rate. */
    static Debt lasting(Flow flow, long nanos, long now) {
        BigInteger period = BigInteger.valueOf(flow.period());
        BigInteger owed = BigInteger.valueOf(nanos).multiply(BigInteger.valueOf(flow.permits()));
        BigInteger missing = owed.add(period).subtract(BigInteger.ONE).divide(period);
        if (missing.bitLength() > 61) {
            return new Debt(flow, 1L << 61, now);
        }
        Debt debt = new Debt(flow, missing.longValue(), now);
        debt.leaked = missing.multiply(period).subtract(owed).longValue();
        return debt;
    }

    /** In how many nanoseconds from this reading nothing is owed, rounded up; saturates. */
    long nanosLeft(long now) {
        if (missing(now) == 0) {
            return 0;
        }
        long all = EvictedState.nanosUntilRefilled(missing, flow);
        return Math.max(1, all - leaked / flow.permits());
    }

    /** Goes on at another rate from now on. */
    void at(Flow next, long now) {
        missing(now);
        leaked = 0;
        flow = next;
        capacity = Math.max(next.burst(), missing);
    }

    /** The permits owed at this reading, rounded up. */
    long missing(long now) {
        long step = now - last;
        last = now;
        if (step > 0 && missing > 0) {
            BigInteger[] whole = refilled(step, leaked);
            missing = BigInteger.valueOf(missing)
                    .subtract(whole[0])
                    .max(BigInteger.ZERO)
                    .longValue();
            leaked = missing == 0 ? 0 : whole[1].longValue();
        }
        return missing;
    }

    private BigInteger[] refilled(long nanos, long rest) {
        return BigInteger.valueOf(nanos)
                .multiply(BigInteger.valueOf(flow.permits()))
                .add(BigInteger.valueOf(rest))
                .divideAndRemainder(BigInteger.valueOf(flow.period()));
    }

    /** In how many nanoseconds from the last reading so many permits can be taken; 0 = now; saturates. */
    long nanosUntil(long permits) {
        long lacking = missing - (capacity - permits);
        if (lacking <= 0) {
            return 0;
        }
        BigInteger nanos = BigInteger.valueOf(lacking)
                .multiply(BigInteger.valueOf(flow.period()))
                .subtract(BigInteger.valueOf(leaked))
                .add(BigInteger.valueOf(flow.permits() - 1))
                .divide(BigInteger.valueOf(flow.permits()));
        return nanos.bitLength() > 62 ? Long.MAX_VALUE - 1 : nanos.longValue();
    }

    /** Takes so many permits, for which {@link #nanosUntil} answered 0. */
    void take(long permits) {
        missing += permits;
    }

    /** Gives back what has not refilled since it was taken, so many nanoseconds before the last reading. */
    void giveBack(long permits, long nanosAgo) {
        BigInteger[] since = refilled(nanosAgo, flow.period() - 1);
        long back = BigInteger.valueOf(permits)
                .subtract(since[0])
                .max(BigInteger.ZERO)
                .longValue();
        missing = Math.max(0, missing - back);
        leaked = missing == 0 ? 0 : leaked;
    }
}
