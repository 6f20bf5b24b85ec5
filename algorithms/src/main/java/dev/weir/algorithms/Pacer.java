package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.algorithms.Rate.Style;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.time.Duration;

/**
 * A leaky bucket as a shaper: one slot every {@code T = ceil(period / permits)} nanoseconds, never early, and none is
 * given to two callers. Alone it refuses, and says when the next slot is; behind a queue that waits it shapes: the k-th
 * request goes out at {@code t0 + (k - 1) * T} or later. A request for n permits takes the next slot and the n - 1 after
 * it. ITU-T I.371 (peak cell rate).
 *
 * <p>A slot may be taken late, since a thread or a timer wakes up late: if by less than T, the slots after it stay where
 * they were, so the rate is kept. A slot that was free for T or longer is lost, and slots are counted from the request
 * that comes then: there is no burst after a pause. In any half-open window of length W at most
 * {@code floor((W - 1) / T) + 1 + largest} permits are granted.
 *
 * <p>The limit is {@code permits}. When it changes, slots that were sold ahead stay sold, at the new distance.
 *
 * @param permits slots a period, 1 to 2^60
 * @param period 1 ns to 73 years
 * @param largest the largest request, 1 to 2^60
 */
public record Pacer(long permits, Duration period, long largest) implements StrategySpec {
    /** Checks the components. */
    public Pacer {
        Check.within("permits", permits, 1, Check.MOST);
        Check.nanos("period", period);
        Check.within("largest", largest, 1, Check.MOST);
    }

    /** One slot a request. */
    public static Pacer of(long permits, Duration period) {
        return new Pacer(permits, period, 1);
    }

    /** The same for requests of up to so many permits. */
    public Pacer withLargest(long largest) {
        return new Pacer(permits, period, largest);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return rate().create(ticker, 0);
    }

    @Override
    public StrategySpec forMany(Ticker ticker) {
        return rate().forMany(ticker, 0);
    }

    @Override
    public StrategySpec forMany(Ticker ticker, StrategySpec before) {
        return rate().forMany(ticker, 0, before);
    }

    /** Another rate or largest request, if no more slots are sold ahead than that. */
    @Override
    public boolean adjust(Strategy running) {
        return rate().adjust(running);
    }

    private Rate rate() {
        return Rate.of(Style.PACED, permits, period.toNanos(), largest);
    }
}
