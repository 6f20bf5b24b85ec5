package dev.weir.spi;

import dev.weir.Outcome;
import dev.weir.Request;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * Permits that were granted and have not refilled, by a linear bucket beside a rate: both grant a request, or neither
 * does. Not thread-safe: guarded by its owner's lock. Readings are those of one ticker.
 */
public final class Debt {
    /*
     * `missing` permits less `leaked / period` are owed. A step of the clock leaks step * permits / period; the remainder
     * of the division is kept, so nothing is rounded from one step to the next, nor from one step of a ramp to the next,
     * which changes the permits but not the period. A clock that runs back leaks nothing.
     *
     * It holds the burst, or the debt that it began with, whatever is more. Of a large debt that has refilled no more than
     * the burst can be taken at once: `least - leastLeaked / period`, the capacity that comes of the debt, is cut to a
     * burst more than what is missing.
     */
    private Flow full;
    private @Nullable RampProgress ramp;
    private long least;
    private long leastLeaked;
    private final long since;
    private long missing;
    private long leaked;
    private long last;

    /**
     * So many permits are missing from a bucket that is as large as the burst, and at least as large as they are.
     *
     * @param ramp what the figures rise with; null if they are in force
     */
    public Debt(Flow full, @Nullable RampProgress ramp, long missing, long now) {
        this.full = full;
        this.ramp = ramp;
        this.least = missing;
        this.missing = missing;
        this.since = now;
        this.last = now;
    }

    private Debt(Debt same) {
        this(same.full, same.ramp, same.missing, same.last);
        this.least = same.least;
        this.leastLeaked = same.leastLeaked;
        this.leaked = same.leaked;
    }

    /** Goes on at another rate from now on. */
    public void at(Flow next, @Nullable RampProgress rising, long now) {
        missing(now);
        leaked = next.period() == full.period() ? leaked : 0;
        full = next;
        ramp = rising;
        least = missing;
        leastLeaked = leaked;
    }

    /** Whether its figures rise with a ramp. */
    public boolean isRising() {
        return ramp != null;
    }

    /** The permits owed at this reading, rounded up. */
    public long missing(long now) {
        while (now - last > 0 && missing > 0) {
            leak(Math.min(now - last, nanosLeft()));
        }
        last = now;
        cut(missing + flow().burst());
        return missing;
    }

    private void cut(long most) {
        if (most < least || (most == least && leaked > leastLeaked)) {
            least = most;
            leastLeaked = leaked;
        }
    }

    private void leak(long nanos) {
        long permits = flow().permits();
        long work = nanos * permits;
        if (Math.multiplyHigh(nanos, permits) == 0 && work >= 0 && work + leaked >= 0) {
            leaked((work + leaked) / full.period(), (work + leaked) % full.period());
        } else {
            BigInteger[] whole = refilled(nanos, leaked);
            leaked(whole[0].min(BigInteger.valueOf(missing)).longValue(), whole[1].longValue());
        }
        last += nanos;
    }

    private void leaked(long whole, long rest) {
        missing = Math.max(0, missing - whole);
        leaked = missing == 0 ? 0 : rest;
    }

    private BigInteger[] refilled(long nanos, long rest) {
        return BigInteger.valueOf(nanos)
                .multiply(BigInteger.valueOf(flow().permits()))
                .add(BigInteger.valueOf(rest))
                .divideAndRemainder(BigInteger.valueOf(full.period()));
    }

    /** The permits that can be taken at this reading. */
    long room(long now) {
        long burst = flow().burst() - missing(now);
        return Math.max(0, Math.max(burst, least - missing - (leaked < leastLeaked ? 1 : 0)));
    }

    /* The figures at the last reading. */
    private Flow flow() {
        return ramp == null ? full : ramp.flow(ramp.stepAt(last), full);
    }

    private long nanosLeft() {
        return ramp == null ? Long.MAX_VALUE : ramp.nanosLeft(last);
    }

    /** Asks the rate and this at this reading: takes from both, or from neither and answers the longer wait. */
    public long acquire(Strategy rate, Request request, long now) {
        missing(now);
        long answer = rate.acquire(request);
        if (answer < 0) {
            return answer;
        }
        long wait = nanosUntil(request.permits());
        if (answer == Strategy.GRANTED && wait == 0) {
            missing += request.permits();
        } else if (answer == Strategy.GRANTED) {
            rate.release(request, Outcome.CANCELLED);
            rate.refund(request, now);
        }
        return Math.max(answer, wait);
    }

    /* In how many nanoseconds from the last reading so many permits can be taken; 0 = now; saturates. */
    private long nanosUntil(long permits) {
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
        Flow flow = flow();
        boolean byBurst = flow.burst() >= least;
        long lacking = missing - ((byBurst ? flow.burst() : least) - permits);
        long surplus = byBurst ? leaked : leaked - leastLeaked;
        if (lacking < 0 || (lacking == 0 && surplus >= 0)) {
            return 0;
        }
        if (lacking > missing && nanosLeft() < Long.MAX_VALUE) {
            return Long.MAX_VALUE; // more than fits at this step
        }
        BigInteger nanos = BigInteger.valueOf(Math.min(lacking, missing))
                .multiply(BigInteger.valueOf(flow.period()))
                .subtract(BigInteger.valueOf(surplus))
                .add(BigInteger.valueOf(flow.permits() - 1))
                .divide(BigInteger.valueOf(flow.permits()));
        return nanos.bitLength() > 62 ? Long.MAX_VALUE - 1 : nanos.longValue();
    }

    /** Gives back what of a grant has not refilled since, unless it is older than this. */
    public void refund(Request request, long grantedAt, long now) {
        missing(now);
        if (grantedAt - since < 0 || now - grantedAt < 0) {
            return;
        }
        BigInteger[] refilled = refilled(now - grantedAt, full.period() - 1);
        long back = BigInteger.valueOf(request.permits())
                .subtract(refilled[0])
                .max(BigInteger.ZERO)
                .longValue();
        missing = Math.max(0, missing - back);
        leaked = missing == 0 ? 0 : leaked;
    }
}
