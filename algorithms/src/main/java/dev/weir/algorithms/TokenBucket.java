package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.algorithms.Rate.Style;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.Objects;

/**
 * A token bucket: {@code permits} tokens arrive a period, at most {@code capacity} are kept, a request takes as many as
 * it asks for or none. In any half-open window of length W at most {@code capacity + floor(W * permits / period)} are
 * granted, exactly and without drift (by {@link Refill#INTERVAL} {@code capacity + ceil(W / period) * permits}); a bucket
 * that is never full loses none. J. Turner, "New directions in communications", IEEE Communications 24(10), 1986.
 *
 * <p>The limit is {@code permits}. A change takes effect from that instant on, and what was used stays used: a larger
 * capacity gives the difference at once, a smaller one takes it. Another limit by {@code setLimit} leaves the capacity
 * as it is; intervals keep their beat.
 *
 * @param permits tokens a period, 1 to 2^60
 * @param period 1 ns to 73 years
 * @param capacity the most tokens kept, 1 to 2^60: the burst
 * @param initial tokens at the start, 0 to capacity
 * @param refill how tokens arrive
 */
public record TokenBucket(long permits, Duration period, long capacity, long initial, Refill refill)
        implements StrategySpec {

    /** How tokens arrive. */
    public enum Refill {
        /** One by one, evenly over the period. */
        GREEDY,
        /** All at once when a period ends, counted from the start. */
        INTERVAL
    }

    /** Checks the components. */
    public TokenBucket {
        Check.within("permits", permits, 1, Check.MOST);
        Check.nanos("period", period);
        Check.within("capacity", capacity, 1, Check.MOST);
        Check.within("initial", initial, 0, capacity);
        Objects.requireNonNull(refill, "refill");
    }

    /** A greedy bucket as large as one period's tokens, full at the start. */
    public static TokenBucket of(long permits, Duration period) {
        return new TokenBucket(permits, period, permits, permits, Refill.GREEDY);
    }

    /** The same with another capacity, full at the start. */
    public TokenBucket withCapacity(long capacity) {
        return new TokenBucket(permits, period, capacity, capacity, refill);
    }

    /**
     * The same with batches leased to stripes, for very high rates.
     *
     * @throws IllegalArgumentException if the capacity is too small to share, see {@link LeasedBucket}
     */
    public LeasedBucket leased() {
        return LeasedBucket.of(this);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return start(ticker);
    }

    @Override
    public StrategySpec forMany(Ticker ticker) {
        return rate().forMany(ticker, capacity - initial);
    }

    @Override
    public StrategySpec forMany(Ticker ticker, StrategySpec before) {
        return rate().forMany(ticker, capacity - initial, before);
    }

    Bucket start(Ticker ticker) {
        return rate().create(ticker, capacity - initial);
    }

    /** Another rate or capacity, if no more is used than that holds; by {@link Refill#INTERVAL} another capacity. */
    @Override
    public boolean adjust(Strategy running) {
        return rate().adjust(running);
    }

    private Rate rate() {
        return Rate.of(refill == Refill.GREEDY ? Style.EVEN : Style.BATCHED, permits, period.toNanos(), capacity);
    }
}
