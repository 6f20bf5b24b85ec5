package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.algorithms.Rate.Style;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartSpec;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A token bucket: {@code permits} tokens arrive per period, the bucket holds at most {@code capacity}, and a request takes
 * one token per permit or none at all. In any half-open window of length W at most {@code capacity + floor(W * permits /
 * period)} permits are granted, exactly and without drift; with {@link Refill#INTERVAL} at most {@code capacity + ceil(W /
 * period) * permits}. J. Turner, "New directions in communications", IEEE Communications 24(10), 1986.
 *
 * <pre>{@code
 * // 100 per second, bursts of 20
 * Limiter api = Limiters.of("api", TokenBucket.of(100, Duration.ofSeconds(1)).withCapacity(20));
 * }</pre>
 *
 * <p>The limit is {@code permits}. A change takes effect at once, and used tokens stay used: a larger capacity adds the
 * difference at once, a smaller one removes it. {@code setLimit} keeps the capacity. Intervals continue across a change.
 *
 * @param permits tokens per period, 1 to 2^60
 * @param period 1 ns to 73 years
 * @param capacity the most tokens the bucket holds, 1 to 2^60: the burst, and the largest request
 * @param initial tokens at the start, 0 to capacity
 * @param refill how tokens arrive
 */
public record TokenBucket(long permits, Duration period, long capacity, long initial, Refill refill)
        implements PartSpec {

    /** The way in which tokens arrive. */
    public enum Refill {
        /** One by one, evenly over the period. */
        GREEDY,
        /** All together at the end of each period, counted from the creation of the strategy. */
        INTERVAL
    }

    /**
     * @throws IllegalArgumentException if a number or the period is out of its range
     * @throws NullPointerException if the period or the refill is null
     */
    public TokenBucket {
        Check.within("permits", permits, 1, Check.MAX_PERMITS);
        Check.nanos("period", period);
        Check.within("capacity", capacity, 1, Check.MAX_PERMITS);
        Check.within("initial", initial, 0, capacity);
        Objects.requireNonNull(refill, "refill");
    }

    /**
     * A full bucket with greedy refill, whose capacity is the permits of one period.
     *
     * @throws IllegalArgumentException if an argument is out of its range
     */
    public static TokenBucket of(long permits, Duration period) {
        return new TokenBucket(permits, period, permits, permits, Refill.GREEDY);
    }

    /**
     * The same with another capacity, full at the start.
     *
     * @throws IllegalArgumentException if the capacity is not 1 to 2^60
     */
    public TokenBucket withCapacity(long capacity) {
        return new TokenBucket(permits, period, capacity, capacity, refill);
    }

    /**
     * The same for very high rates, with the largest batch up to 256 permits that leaves half of the capacity in the
     * bucket; see {@link #batched(long)}.
     *
     * @throws IllegalArgumentException if the capacity is less than 2 permits per stripe
     */
    public StrategySpec batched() {
        return StripedBucket.BatchedBucket.of(this);
    }

    /**
     * The same for very high rates. The bucket has stripes: cells that hold batches of permits taken from it in advance. The
     * id of a thread selects its stripe, so most grants are one uncontended compare-and-set without a reading of the clock.
     * Before a request is refused, the batches of the other stripes are used too.
     *
     * <p>The bound on what is granted stays that of the bucket, because the batches are set apart from its capacity. In
     * return, a burst and the largest request may be smaller by as much. There are 8 stripes per processor (the number of
     * processors rounded down to a power of two), at most 64: a capacity of 128 is enough on every machine.
     *
     * @param batch permits a stripe takes at a time, at least 1; those of all stripes are at most half of the capacity
     * @throws IllegalArgumentException if the batch is out of its range, or the capacity is less than 2 permits per stripe
     */
    public StrategySpec batched(long batch) {
        return new StripedBucket.BatchedBucket(this, batch);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return start(ticker);
    }

    RateBucket start(Ticker ticker) {
        return RateBucket.of(rate(), ticker, capacity - initial);
    }

    @Override
    public StrategySpec forMany(Ticker ticker, @Nullable StrategySpec before) {
        return SharedBucketSpec.after(before, rate(), capacity - initial, ticker);
    }

    /** Adjusts the rate or the capacity, unless more is used than the new capacity; with INTERVAL only the capacity. */
    @Override
    public boolean adjust(Strategy running) {
        return RateBucket.adjust(running, rate());
    }

    private Rate rate() {
        return Rate.of(refill == Refill.GREEDY ? Style.EVEN : Style.INTERVAL, permits, period.toNanos(), capacity);
    }
}
