package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.algorithms.Terms.Style;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * A fixed window: {@code limit} permits in each window, what is not used is lost when it ends. Exactly the limit in each
 * window, but up to <b>twice the limit</b> in a span of the same length that lies across a boundary: {@code limit *
 * (floor((W - 2) / period) + 2)} in any W of at least 2 ns. Where that matters, take a {@link SlidingWindow}.
 *
 * <p>A changed limit is in force at once, and what was used in this window stays used. With the same period windows keep
 * their beat; with another, a window that begins now holds what was used.
 *
 * @param limit permits a window, 1 to 2^60; also the largest request
 * @param period 1 ns to 73 years
 * @param alignedTo windows begin at multiples of the period since 1970-01-01T00:00Z by this clock, which is read once,
 *     when the strategy is created or changed; from then on the beat is that of the monotonic ticker, so that a step of
 *     the wall clock neither repeats nor skips a window. null = windows are counted from the creation
 */
public record FixedWindow(
        long limit, Duration period, @Nullable InstantSource alignedTo) implements StrategySpec {
    private static final BigInteger SECOND = BigInteger.valueOf(1_000_000_000);

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
        return new Bucket(terms(ticker), 0);
    }

    @Override
    public StrategySpec forMany(Ticker ticker) {
        return new Alike(terms(ticker), 0);
    }

    @Override
    public StrategySpec forMany(Ticker ticker, StrategySpec before) {
        return alignedTo == null ? new Alike(Alike.following(before, terms(ticker)), 0) : forMany(ticker);
    }

    @Override
    public boolean adjust(Strategy running) {
        return Bucket.adjusted(
                running,
                Style.WINDOW,
                old -> alignedTo == null
                        ? terms(old.ticker()).after(old)
                        : terms(old.ticker()).remembering(old));
    }

    private Terms terms(Ticker ticker) {
        long nanos = period.toNanos();
        long begun = alignedTo == null ? 0 : sinceMultiple(alignedTo.instant(), nanos);
        return Terms.of(ticker, ticker.read() - begun, limit, nanos, limit, Style.WINDOW);
    }

    private static long sinceMultiple(Instant now, long period) {
        return BigInteger.valueOf(now.getEpochSecond())
                .multiply(SECOND)
                .add(BigInteger.valueOf(now.getNano()))
                .mod(BigInteger.valueOf(period))
                .longValue();
    }
}
