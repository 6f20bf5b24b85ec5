package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.algorithms.Rate.Style;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * A fixed window: {@code limit} permits in each window, what is not used is lost when it ends. Exactly the limit in each
 * window, but up to <b>twice the limit</b> in a span of the same length that lies across a boundary: {@code limit *
 * (floor((W - 2) / period) + 2)} in any W of at least 2 ns. Where that matters, take a {@link SlidingWindow}.
 *
 * <p>A changed limit is in force at once, what was used in this window stays used, and windows keep their beat.
 *
 * @param limit permits a window, 1 to 2^60; also the largest request
 * @param period 1 ns to 73 years
 * @param alignedTo windows begin at multiples of the period since 1970-01-01T00:00Z by this clock, which is read once,
 *     when the strategy is created; from then on the beat is that of the monotonic ticker, so that a step of the wall
 *     clock neither repeats nor skips a window. null = windows are counted from the creation
 */
public record FixedWindow(
        long limit, Duration period, @Nullable InstantSource alignedTo) implements StrategySpec {
    /** Checks the components. */
    public FixedWindow {
        Check.within("limit", limit, 1, Check.MOST);
        Check.nanos("period", period);
    }

    /** Windows counted from the creation. */
    public static FixedWindow of(long limit, Duration period) {
        return new FixedWindow(limit, period, null);
    }

    /** Windows that begin with the minute, the hour or the day in UTC, by the system's clock. */
    public static FixedWindow aligned(long limit, Duration period) {
        return aligned(limit, period, InstantSource.system());
    }

    /** Windows that begin at multiples of the period since the epoch, by this clock. */
    public static FixedWindow aligned(long limit, Duration period, InstantSource clock) {
        return new FixedWindow(limit, period, clock);
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

    /** Another limit, by the same windows. */
    @Override
    public boolean adjust(Strategy running) {
        return rate().adjust(running);
    }

    private Rate rate() {
        return new Rate(Style.WINDOW, limit, period.toNanos(), limit, alignedTo);
    }
}
