package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.algorithms.Rate.Style;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartSpec;
import java.time.Duration;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * A fixed window: {@code limit} permits in each window; unused permits are lost when it ends. It grants at most the limit in
 * each window, but up to <b>twice the limit</b> in a span of the same length across a boundary: {@code limit * (floor((W -
 * 2) / period) + 2)} in any span W of at least 2 ns. If that matters, use a {@link SlidingWindow}.
 *
 * <pre>{@code
 * // 10,000 per day in UTC
 * Limiter quota = Limiters.of("quota", FixedWindow.aligned(10_000, Duration.ofDays(1)));
 * }</pre>
 *
 * <p>A changed limit is in force at once, what was used in this window stays used, and window boundaries stay.
 *
 * @param limit permits per window, 1 to 2^60; also the largest request
 * @param period the length of a window, 1 ns to 73 years
 * @param alignedTo windows start at multiples of the period since 1970-01-01T00:00Z on this clock. It is read once, when the
 *     strategy is created; from then on windows follow the monotonic ticker, so a step of the wall clock neither repeats nor
 *     skips a window. null = windows count from the creation of the strategy
 */
public record FixedWindow(
        long limit, Duration period, @Nullable InstantSource alignedTo) implements PartSpec {
    /** @throws IllegalArgumentException if the limit or the period is out of its range */
    public FixedWindow {
        Check.within("limit", limit, 1, Check.MAX_PERMITS);
        Check.nanos("period", period);
    }

    /**
     * Windows that count from the creation of the strategy.
     *
     * @throws IllegalArgumentException if an argument is out of its range
     */
    public static FixedWindow of(long limit, Duration period) {
        return new FixedWindow(limit, period, null);
    }

    /**
     * Windows that start with the minute, the hour or the day in UTC, on the system's clock.
     *
     * @throws IllegalArgumentException if an argument is out of its range
     */
    public static FixedWindow aligned(long limit, Duration period) {
        return aligned(limit, period, InstantSource.system());
    }

    /**
     * Windows that start at multiples of the period since the epoch, on this clock.
     *
     * @throws IllegalArgumentException if a number or the period is out of its range
     */
    public static FixedWindow aligned(long limit, Duration period, InstantSource clock) {
        return new FixedWindow(limit, period, clock);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return RateBucket.of(rate(), ticker, 0);
    }

    @Override
    public StrategySpec forMany(Ticker ticker, @Nullable StrategySpec before) {
        return SharedBucketSpec.after(before, rate(), 0, ticker);
    }

    /** Adjusts the limit; the windows must be the same. */
    @Override
    public boolean adjust(Strategy running) {
        return RateBucket.adjust(running, rate());
    }

    private Rate rate() {
        return new Rate(Style.WINDOW, limit, period.toNanos(), limit, alignedTo);
    }
}
