package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.algorithms.Rate.Style;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/** The parameters of a {@link RateBucket}, shared by all buckets of one specification. A change replaces them as a whole. */
final class BucketParameters {
    final Ticker ticker;

    /** The reading from which elapsed time is counted. */
    final long origin;

    final Rate rate;
    final RateArithmetic arithmetic;

    /** The largest request, in permits. */
    final long capacity;

    /** The units of a full bucket. */
    final long full;

    /** The units lost when a full bucket is used again: the slots that were due and are no longer made up for. */
    final long lostSlots;

    /** The most units that may be missing. */
    final long maxMissing;

    /* The parameters that followed last, so that buckets that share parameters share them after a change too. */
    private volatile @Nullable BucketParameters next;

    private BucketParameters(Ticker ticker, long origin, Rate rate, RateArithmetic arithmetic, long maxBesideLost) {
        this.ticker = ticker;
        this.origin = origin;
        this.rate = rate;
        this.arithmetic = arithmetic;
        this.capacity = rate.capacity();
        this.full = full(rate, arithmetic);
        this.lostSlots = rate.lateSlots() * arithmetic.unit;
        this.maxMissing = Math.max(maxBesideLost + lostSlots, maxMissing(rate, arithmetic));
    }

    static BucketParameters of(Rate rate, Ticker ticker) {
        return new BucketParameters(ticker, rate.origin(ticker), rate, rate.arithmetic(), 0);
    }

    private static long full(Rate rate, RateArithmetic arithmetic) {
        return rate.style() == Style.TOLERANT ? rate.interval() + rate.burst() : rate.maxMissing() * arithmetic.unit;
    }

    /* One batch more than a full bucket: if the clock runs back over a beat, that beat comes again and must add nothing. */
    private static long maxMissing(Rate rate, RateArithmetic arithmetic) {
        long full = full(rate, arithmetic);
        return rate.style().isPeriodic() ? Math.max(full, arithmetic.batch) + arithmetic.batch : full;
    }

    /**
     * The same parameters with a later origin: the last instant at which the number of arrived units was whole. If the clock
     * ran back before the origin, the present instant; batches keep their beat.
     */
    BucketParameters countedFrom(long elapsed) {
        long begun = elapsed > 0 || rate.style().isPeriodic() ? arithmetic.lastWhole(elapsed) : elapsed;
        return new BucketParameters(ticker, origin + begun, rate, arithmetic, maxMissing - lostSlots);
    }

    /** The parameters of another rate from this reading on; batches keep their beat, so the origin may be earlier. */
    BucketParameters after(Rate other, long now) {
        BucketParameters known = next;
        if (known != null && known.rate.equals(other) && known.covers(now - known.origin)) {
            return known;
        }
        long begun = rate.style().isPeriodic() ? origin + arithmetic.lastWhole(now - origin) : now;
        /* The end of a window returns all that may have been used in it, under whichever limit. */
        RateArithmetic to = other.style() == Style.WINDOW
                ? RateArithmetic.periodic(Math.max(other.permits(), arithmetic.batch), other.period())
                : other.arithmetic();
        BucketParameters made = new BucketParameters(ticker, begun, other, to, scaled(maxMissing - lostSlots, to));
        next = made;
        return made;
    }

    boolean covers(long elapsed) {
        return elapsed >= 0 && elapsed <= arithmetic.maxElapsed;
    }

    /** The units that may be missing if a request for {@code asked} permits is to be granted. */
    long allowance(long asked) {
        return rate.style() == Style.PACED ? lostSlots : full - asked * arithmetic.unit;
    }

    /** The nanoseconds since the origin. */
    long elapsed() {
        return ticker.read() - origin;
    }

    /** The permits that a request can get while so many units are missing. */
    long remaining(long missing) {
        if (rate.style() == Style.PACED) {
            return missing > lostSlots ? 0 : capacity;
        }
        return Math.max(0, full - missing) / arithmetic.unit;
    }

    /** The nanoseconds from {@code elapsed} until of so many missing units none is missing. */
    long nanosUntilFull(long missing, long elapsed) {
        return missing <= lostSlots ? 0 : arithmetic.nanosUntil(missing - lostSlots, Math.max(0, elapsed));
    }

    /** The permits that refill steadily in {@code nanos} nanoseconds, rounded down. */
    long refilled(long nanos) {
        return RateArithmetic.refilled(rate.permits(), rate.period(), nanos);
    }

    /** Converts units to those of another arithmetic, rounded up: no used permit is lost. */
    long scaled(long missing, RateArithmetic other) {
        if (arithmetic.unit == other.unit) {
            return missing;
        }
        BigInteger up = BigInteger.valueOf(missing)
                .multiply(BigInteger.valueOf(other.unit))
                .add(BigInteger.valueOf(arithmetic.unit - 1))
                .divide(BigInteger.valueOf(arithmetic.unit));
        return up.min(BigInteger.valueOf(2 * Check.MAX_PERMITS)).longValue();
    }
}
