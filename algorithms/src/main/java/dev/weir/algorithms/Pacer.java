package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.algorithms.Rate.Style;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartSpec;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A leaky bucket as a queue, for traffic shaping: one slot every {@code T = ceil(period / permits)} nanoseconds, never
 * early, each granted once. The pacer alone refuses a request and tells when the next slot is. Behind an admission queue
 * requests wait for their slots: request k is granted at {@code t0 + (k - 1) * T} or later. A request for n permits takes
 * the next slot and the n - 1 slots after it. ITU-T I.371 (peak cell rate).
 *
 * <pre>{@code
 * // one request every 20 ms
 * Limiter sms = Limiters.of("sms", Pacer.of(50, Duration.ofSeconds(1)));
 * }</pre>
 *
 * <p>A slot may be taken late, because a thread or a timer wakes up late. If it is late by no more than 10 ms, or by less
 * than T where T is longer, the next slots stay where they were, so the rate is kept, and those that have become due are
 * granted at once. That is, up to {@code c = floor(10 ms / T) + 1} slots may be late: 51 of 5,000 per second, one of fewer than
 * 100. A slot that is late by c * T is lost, with those after it, and slots count from the next request: after a pause one
 * request is granted, and there is no burst. At one instant at most {@code c - 1 + largest} permits are granted, and in any
 * half-open window of length W at most {@code floor((W - 1) / T) + c + largest}.
 *
 * <p>The limit is {@code permits}. After a change, slots that are already granted stay granted, at the new interval; of those
 * that are late, as many may be taken as may be late at the new interval.
 *
 * @param permits slots per period, 1 to 2^60
 * @param period 1 ns to 73 years
 * @param largest the largest request, 1 to 2^60
 */
public record Pacer(long permits, Duration period, long largest) implements PartSpec {
    /** @throws IllegalArgumentException if a component is out of its range */
    public Pacer {
        Check.within("permits", permits, 1, Check.MAX_PERMITS);
        Check.nanos("period", period);
        Check.within("largest", largest, 1, Check.MAX_PERMITS);
    }

    /**
     * A pacer of requests for one permit each.
     *
     * @throws IllegalArgumentException if an argument is out of its range
     */
    public static Pacer of(long permits, Duration period) {
        return new Pacer(permits, period, 1);
    }

    /**
     * The same for requests of at most {@code largest} permits.
     *
     * @throws IllegalArgumentException if {@code largest} is not 1 to 2^60
     */
    public Pacer withLargest(long largest) {
        return new Pacer(permits, period, largest);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return RateBucket.of(rate(), ticker, 0);
    }

    @Override
    public StrategySpec forMany(Ticker ticker, @Nullable StrategySpec before) {
        return SharedBucketSpec.after(before, rate(), 0, ticker);
    }

    /** Adjusts the rate or the largest request, unless more slots than that are granted ahead. */
    @Override
    public boolean adjust(Strategy running) {
        return RateBucket.adjust(running, rate());
    }

    private Rate rate() {
        return Rate.of(Style.PACED, permits, period.toNanos(), largest);
    }
}
