package dev.weir.succession;

import dev.weir.Request;
import dev.weir.spi.Account;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * Permits that were granted and have not refilled: a linear bucket beside a rate. Guarded by the lock of its owner. All
 * readings are of one ticker.
 */
final class Debt {
    /*
     * `missing` permits less `leaked / period` are owed. A step of the clock leaks step * permits / period. The remainder of
     * the division is kept, so nothing is rounded from one step to the next, also when a ramp changes the permits. When a
     * ramp changes the period the remainder is rounded down. A clock that runs back leaks nothing.
     *
     * More than the burst may be missing. Then the bucket is as large as what was missing when these figures came into
     * force, `min` less `minLeaked / period`: the next permit comes when a whole one has refilled since then. What is overdrawn is
     * missing beyond that size: no permit comes until it has refilled.
     */
    private static final long MAX = 1L << 61;

    private Account full;
    private long limit;
    private @Nullable RampProgress ramp;
    private final int round;
    private long min;
    private long minLeaked;
    private long since;
    private long missing;
    private long leaked;
    private long period;
    private long last;

    /**
     * A bucket of which what the account has used is missing. It is as large as the burst, or as what is missing if that is more.
     *
     * @param full the account at the limit
     * @param ramp the ramp with which its figures rise; null if they are in force
     */
    Debt(Account full, long limit, @Nullable RampProgress ramp, long now) {
        this.full = full;
        this.limit = limit;
        this.ramp = ramp;
        this.round = ramp == null ? 0 : ramp.round();
        this.min = full.used();
        this.missing = full.used();
        this.since = now;
        this.last = now;
        this.period = rate().period();
    }

    private Debt(Debt same) {
        this(same.full.withUsed(same.missing), same.limit, same.ramp, same.last);
        this.min = same.min;
        this.minLeaked = same.minLeaked;
        this.leaked = same.leaked;
        this.period = same.period;
    }

    /** A bucket of which so much is missing beyond what the account has used. What was granted since then is refunded. */
    static Debt overdrawn(Account full, long limit, long beyond, long since, long now) {
        Debt debt = new Debt(full, limit, null, now);
        debt.take(beyond);
        debt.since = since;
        return debt;
    }

    /** A debt that refills in this many nanoseconds at these figures, which are in force. */
    static Debt lasting(Account full, long limit, long nanos, long now) {
        Debt debt = new Debt(full, limit, null, now);
        debt.owe(BigInteger.valueOf(nanos).multiply(BigInteger.valueOf(full.permits())));
        debt.min = debt.missing;
        debt.minLeaked = debt.leaked;
        return debt;
    }

    /* So many parts of a period: permits, rounded up, and what of the last one has refilled. At most 2^61 permits are missing. */
    private void owe(BigInteger parts) {
        BigInteger each = BigInteger.valueOf(period);
        BigInteger whole = parts.add(each).subtract(BigInteger.ONE).divide(each).min(BigInteger.valueOf(MAX));
        missing = whole.longValue();
        leaked = whole.multiply(each)
                .subtract(parts)
                .max(BigInteger.ZERO)
                .min(each)
                .longValue();
    }

    /** In how many nanoseconds nothing will be owed, at the figures of this reading, rounded up; saturates. */
    long nanosUntilPaid(long now) {
        if (missing(now) == 0) {
            return 0;
        }
        Account rate = rate();
        usePeriod(rate.period());
        return nanosUntilRefilled(missing, 0, rate);
    }

    /** Continues with other figures, which are in force from now on. */
    void changeTo(Account next, long nextLimit, long now) {
        missing(now);
        long burst = rate().burst();
        if (missing <= Math.max(burst, min)) {
            min = missing;
            minLeaked = leaked;
        } else {
            keepSize();
        }
        full = next;
        limit = nextLimit;
        ramp = null;
        since = now;
    }

    boolean isAt(Account figures) {
        return full.withUsed(0).equals(figures.withUsed(0));
    }

    /** Is no smaller from now on than now, whatever its figures become. */
    void keepSize() {
        long burst = rate().burst();
        if (burst >= min) {
            min = burst;
            minLeaked = 0;
        }
    }

    /**
     * Keeps what has refilled of the next permit in another bucket with as many permits missing; and how many fit there, if this is
     * so. Both have been refilled to the same reading.
     */
    void keepPartOf(Debt other, boolean keepsSize) {
        leaked = inParts(other.leaked, other.period, period);
        if (keepsSize) {
            min = other.min;
            minLeaked = inParts(other.minLeaked, other.period, period);
        }
    }

    /** The permits owed at the last reading. */
    long missing() {
        return missing;
    }

    /** The permits that are missing beyond its size at the last reading: until they have refilled, nothing is granted. */
    long overdrawn() {
        return Math.max(0, missing - Math.max(rate().burst(), min));
    }

    boolean isRising() {
        return ramp != null;
    }

    /** True if the ramp has become cold again since this was created. */
    boolean isOutdated() {
        return ramp != null && ramp.round() != round;
    }

    /** The permits owed at this reading, rounded up. */
    long missing(long now) {
        while (now - last > 0 && missing > 0) {
            leak(Math.min(now - last, nanosLeft()));
        }
        last = now;
        return missing;
    }

    private void leak(long nanos) {
        Account rate = rate();
        usePeriod(rate.period());
        long work = nanos * rate.permits();
        if (Math.multiplyHigh(nanos, rate.permits()) == 0 && work >= 0 && work + leaked >= 0) {
            leaked((work + leaked) / period, (work + leaked) % period);
        } else {
            BigInteger[] whole = refilled(rate, nanos, leaked);
            leaked(whole[0].min(BigInteger.valueOf(missing)).longValue(), whole[1].longValue());
        }
        last += nanos;
    }

    private void usePeriod(long nextPeriod) {
        if (nextPeriod != period) {
            leaked = inParts(leaked, period, nextPeriod);
            minLeaked = inParts(minLeaked, period, nextPeriod);
            period = nextPeriod;
        }
    }

    private static long inParts(long part, long period, long nextPeriod) {
        return BigInteger.valueOf(part)
                .multiply(BigInteger.valueOf(nextPeriod))
                .divide(BigInteger.valueOf(period))
                .longValue();
    }

    private void leaked(long whole, long rest) {
        missing = Math.max(0, missing - whole);
        leaked = missing == 0 ? 0 : rest;
    }

    /** The permits that refill in this time, and the rest, in parts of a period. */
    static BigInteger[] refilled(Account rate, long nanos, long rest) {
        return BigInteger.valueOf(nanos)
                .multiply(BigInteger.valueOf(rate.permits()))
                .add(BigInteger.valueOf(rest))
                .divideAndRemainder(BigInteger.valueOf(rate.period()));
    }

    /** The permits that can be taken at this reading, without waiting. */
    long room(long now) {
        long owed = missing(now);
        long burst = rate().burst();
        long part = min > burst && leaked < minLeaked ? 1 : 0;
        return Math.max(0, Math.max(burst, min) - owed - part);
    }

    /* The figures at the last reading. */
    private Account rate() {
        return ramp == null ? full : ramp.account(ramp.stepAt(last), full, limit);
    }

    private long nanosLeft() {
        return ramp == null ? Long.MAX_VALUE : ramp.nanosLeft(last);
    }

    /** In how many nanoseconds from the last reading this many permits can be taken; 0 = now; saturates. */
    long nanosUntil(long permits) {
        Debt later = ramp == null ? this : new Debt(this);
        for (; ; ) {
            long nanos = later.nanosAtThisStep(permits);
            long left = later.nanosLeft();
            if (nanos <= left) {
                long passed = later.last - last;
                return Math.min(nanos, Long.MAX_VALUE - 1 - passed) + passed;
            }
            later.missing(later.last + left);
        }
    }

    private long nanosAtThisStep(long permits) {
        Account rate = rate();
        usePeriod(rate.period());
        long lacking = missing - (Math.max(rate.burst(), min) - permits);
        long part = min > rate.burst() ? minLeaked : 0;
        if (lacking < 0 || (lacking == 0 && part <= leaked)) {
            return 0;
        }
        if (lacking > missing && nanosLeft() < Long.MAX_VALUE) {
            return Long.MAX_VALUE; // more than fits at this step
        }
        return nanosUntilRefilled(Math.min(lacking, missing), part, rate);
    }

    private long nanosUntilRefilled(long permits, long part, Account rate) {
        BigInteger nanos = BigInteger.valueOf(permits)
                .multiply(BigInteger.valueOf(rate.period()))
                .subtract(BigInteger.valueOf(leaked))
                .add(BigInteger.valueOf(part))
                .add(BigInteger.valueOf(rate.permits() - 1))
                .divide(BigInteger.valueOf(rate.permits()));
        return nanos.bitLength() > 62 ? Long.MAX_VALUE - 1 : nanos.longValue();
    }

    /** Takes this many permits. If {@link #nanosUntil} has not returned 0 for them, it is overdrawn. At most 2^61 are missing. */
    void take(long permits) {
        missing = Math.min(MAX, missing + Math.min(MAX, permits));
    }

    /** Refunds what has not refilled of a grant since, unless the grant is older than these figures. */
    void refund(Request request, long grantedAt, long now) {
        missing(now);
        Account rate = rate();
        boolean isOlder = grantedAt - since < 0 || (grantedAt == since && min > rate.burst());
        if (isOlder || now - grantedAt < 0) {
            return;
        }
        usePeriod(rate.period());
        BigInteger each = BigInteger.valueOf(rate.period());
        BigInteger back = BigInteger.valueOf(request.permits())
                .multiply(each)
                .subtract(BigInteger.valueOf(now - grantedAt).multiply(BigInteger.valueOf(rate.permits())))
                .max(BigInteger.ZERO);
        owe(BigInteger.valueOf(missing)
                .multiply(each)
                .subtract(BigInteger.valueOf(leaked))
                .subtract(back)
                .max(BigInteger.ZERO));
    }
}
