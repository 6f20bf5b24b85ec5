package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.algorithms.Rate.Style;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/** What a {@link Bucket} counts by: shared by all buckets of one specification, replaced as a whole. */
final class Terms {
    final Ticker ticker;

    /** The reading at which the counting of elapsed time starts. */
    final long origin;

    final Rate rate;
    final Pace pace;

    /** The largest request, in permits. */
    final long capacity;

    /** The most units it holds. */
    final long full;

    /** The units that are lost where all was free: a slot that nobody took for so long that it is not made up for. */
    final long passed;

    /** The most units that may be missing. */
    final long deepest;

    /* The last that followed, so that buckets with the same terms have the same terms after a change too. */
    private volatile @Nullable Terms next;

    private Terms(Ticker ticker, long origin, Rate rate, Pace pace, long deepest) {
        this.ticker = ticker;
        this.origin = origin;
        this.rate = rate;
        this.pace = pace;
        this.capacity = rate.capacity();
        this.full = full(rate, pace);
        this.passed = rate.style() == Style.PACED ? pace.unit : 0;
        this.deepest = Math.max(deepest, deepest(rate, pace));
    }

    static Terms of(Rate rate, Ticker ticker) {
        return new Terms(ticker, rate.origin(ticker), rate, rate.pace(), 0);
    }

    private static long full(Rate rate, Pace pace) {
        return rate.style() == Style.TOLERANT ? rate.distance() + rate.burst() : rate.most() * pace.unit;
    }

    /* A batch more than it holds, where the clock ran back over a beat: that beat comes again and must bring nothing. */
    private static long deepest(Rate rate, Pace pace) {
        long full = full(rate, pace);
        return rate.style().isBatched() ? Math.max(full, pace.scale) + pace.scale : full;
    }

    /**
     * The same terms counted from later on: from the last instant at which a whole number of units had arrived. From
     * the present one if the clock ran back before the start, but batches keep their beat.
     */
    Terms countedFrom(long elapsed) {
        long begun = elapsed > 0 || rate.style().isBatched() ? pace.lastWhole(elapsed) : elapsed;
        return new Terms(ticker, origin + begun, rate, pace, deepest);
    }

    /** The terms of another rate from this reading on, or from an earlier one; batches keep their beat. */
    Terms after(Rate other, long now) {
        Terms known = next;
        if (known != null && known.rate.equals(other) && known.covers(now - known.origin)) {
            return known;
        }
        long begun = rate.style().isBatched() ? origin + pace.lastWhole(now - origin) : now;
        Pace wide = other.style() == Style.WINDOW ? wide(other) : other.pace();
        Terms made = new Terms(ticker, begun, other, wide, scaled(deepest, wide));
        next = made;
        return made;
    }

    /* A window brings back all that may have been used in it, under whichever limit. */
    private Pace wide(Rate other) {
        return Pace.batched(Math.max(other.permits(), pace.scale), other.period());
    }

    boolean covers(long elapsed) {
        return elapsed >= 0 && elapsed <= pace.maxElapsed;
    }

    /** How many units may be missing for a request of so many permits to be granted. */
    long allowance(long asked) {
        return rate.style() == Style.PACED ? pace.unit : full - asked * pace.unit;
    }

    /** So many of these units in those of another pace, rounded up: what was used stays used. */
    long scaled(long missing, Pace other) {
        if (pace.unit == other.unit) {
            return missing;
        }
        BigInteger up = BigInteger.valueOf(missing)
                .multiply(BigInteger.valueOf(other.unit))
                .add(BigInteger.valueOf(pace.unit - 1))
                .divide(BigInteger.valueOf(pace.unit));
        return up.min(BigInteger.valueOf(2 * Check.MOST)).longValue();
    }
}
