package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.succession.EvictedState;
import dev.weir.succession.PartSpec;
import java.time.Duration;

/**
 * A sliding window that keeps the time of each grant: at most {@code limit} permits in <b>any</b> half-open window of one
 * period, and never fewer than the limit allows. A permit is free again exactly one period after it was granted. The cost is
 * memory: 16 bytes for each instant at which permits were granted, for at most {@code limit} instants. The array doubles
 * when it is full and does not shrink. A grant or a rejection takes a binary search at most.
 *
 * <pre>{@code
 * // never more than 100 within any minute
 * Limiter mail = Limiters.of("mail", SlidingLog.of(100, Duration.ofMinutes(1)));
 * }</pre>
 *
 * <p>A changed limit is in force at once, and what was used stays used.
 *
 * @param limit permits per period, 1 to 2^20; also the largest request
 * @param period 1 ns to 73 years
 */
public record SlidingLog(long limit, Duration period) implements PartSpec {
    /** @throws IllegalArgumentException if a component is out of its range */
    public SlidingLog {
        Check.within("limit", limit, 1, GrantLog.MAX_LIMIT);
        Check.nanos("period", period);
    }

    /**
     * At most this many permits in any period.
     *
     * @throws IllegalArgumentException if an argument is out of its range
     */
    public static SlidingLog of(long limit, Duration period) {
        return new SlidingLog(limit, period);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new GrantLog(ticker, limit, period.toNanos());
    }

    /** Adjusts the limit; the period must be the same. */
    @Override
    public boolean adjust(Strategy running) {
        return running instanceof GrantLog log && log.adjusted(limit, period.toNanos());
    }

    @Override
    public SlidingLog withLimit(long limit) {
        return new SlidingLog(limit, period);
    }

    /** Keeps the use of one period in 14 slices; each counts until its last nanosecond would be free. */
    @Override
    public EvictedState evictedState(Ticker ticker) {
        return new EvictedWindow(ticker, Rate.interval(EvictedWindow.SLICES - 1, period.toNanos()), limit);
    }
}
