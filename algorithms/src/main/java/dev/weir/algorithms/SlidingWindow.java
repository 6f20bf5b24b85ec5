package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.succession.EvictedState;
import dev.weir.succession.PartSpec;
import java.time.Duration;

/**
 * A sliding window counted in {@code blocks} sub-windows: at most {@code limit} permits in <b>any</b> half-open window of one
 * period. It keeps one block more than the period has, because the oldest block lies across the start of the window. So the
 * bound is the limit, not twice the limit; the cost is that used permits are free again up to one block late: a saturated
 * window grants at least {@code limit} in any {@code (blocks + 1) * ceil(period / blocks)}. Memory: one long per block.
 *
 * <pre>{@code
 * // 1,000 in any hour, counted by the minute
 * Limiter export = Limiters.of("export", SlidingWindow.of(1_000, Duration.ofHours(1)).withBlocks(60));
 * }</pre>
 *
 * <p>A changed limit is in force at once, and what was used stays used.
 *
 * @param limit permits per period, 1 to 2^60; also the largest request
 * @param period 1 ns to 73 years
 * @param blocks the precision, 1 to 10,000
 */
public record SlidingWindow(long limit, Duration period, int blocks) implements PartSpec {
    /** @throws IllegalArgumentException if a component is out of its range */
    public SlidingWindow {
        Check.within("limit", limit, 1, Check.MAX_PERMITS);
        Check.nanos("period", period);
        Check.within("blocks", blocks, 1, 10_000);
    }

    /**
     * With ten blocks: used permits are free again at most a tenth of the period late.
     *
     * @throws IllegalArgumentException if an argument is out of its range
     */
    public static SlidingWindow of(long limit, Duration period) {
        return new SlidingWindow(limit, period, 10);
    }

    /**
     * The same with another precision.
     *
     * @throws IllegalArgumentException if {@code blocks} is not 1 to 10,000
     */
    public SlidingWindow withBlocks(int blocks) {
        return new SlidingWindow(limit, period, blocks);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new BlockCounts(ticker, limit, period.toNanos(), blocks);
    }

    /** Adjusts the limit; the period and the blocks must be the same. */
    @Override
    public boolean adjust(Strategy running) {
        return running instanceof BlockCounts counts
                && counts.blocks == blocks
                && counts.adjusted(limit, period.toNanos());
    }

    @Override
    public SlidingWindow withLimit(long limit) {
        return new SlidingWindow(limit, period, blocks);
    }

    /** Keeps the use of one period in 14 slices of whole blocks; each counts until its last block would be free. */
    @Override
    public EvictedState evictedState(Ticker ticker) {
        long inSlice = Rate.interval(EvictedWindow.SLICES - 1, blocks);
        return new EvictedWindow(ticker, inSlice * Rate.interval(blocks, period.toNanos()), limit);
    }
}
