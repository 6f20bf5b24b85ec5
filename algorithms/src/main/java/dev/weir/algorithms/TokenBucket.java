package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.algorithms.Terms.Style;
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
 * <p>The limit is {@code permits}. A change takes effect from that instant on: tokens that are there stay, cut to the
 * new capacity; turning the dial leaves the capacity as it is. Intervals keep their beat while the period stays the same.
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
        return new Alike(terms(ticker), capacity - initial);
    }

    @Override
    public StrategySpec forMany(Ticker ticker, StrategySpec before) {
        return new Alike(Alike.following(before, terms(ticker)), capacity - initial);
    }

    Bucket start(Ticker ticker) {
        Terms terms = terms(ticker);
        return new Bucket(terms, (capacity - initial) * terms.pace().unit);
    }

    @Override
    public boolean adjust(Strategy running) {
        return Bucket.adjusted(running, style(), old -> terms(old.ticker()).after(old));
    }

    private Style style() {
        return refill == Refill.GREEDY ? Style.EVEN : Style.BATCHED;
    }

    private Terms terms(Ticker ticker) {
        return Terms.of(ticker, ticker.read(), permits, period.toNanos(), capacity, style());
    }
}
