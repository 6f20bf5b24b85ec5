package dev.weir.algorithms;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Ticker;

/** A rate that keeps the times at which permits were used. Methods are called under its lock, with its elapsed time. */
abstract sealed class SlidingStrategy extends WindowStrategy permits BlockCounts, GrantLog {
    private final long span;
    private long changed;

    /** Permits that were used {@code nanosAgo} nanoseconds ago. */
    interface Use {
        void of(long nanosAgo, long permits);
    }

    /** A window in which a grant counts for at most {@code span} nanoseconds. */
    SlidingStrategy(Ticker ticker, long limit, long window, long span) {
        super(ticker, limit, window);
        this.span = span;
        this.changed = -span;
    }

    /** Passes on everything that counts, oldest first, as if used at the latest possible time. */
    abstract void each(long now, Use to);

    /** Counts permits as used {@code nanosAgo} nanoseconds ago. Called with the oldest first. */
    abstract void use(long now, long nanosAgo, long permits);

    /** If time is counted in blocks, starts them at multiples of their width on the scale of {@code time}. */
    void align(long elapsedTime, long time) {}

    /** The permits that were used beyond a steady rate. */
    abstract long surplus(long now);

    /** True if everything that counts was used under the present limit. */
    @GuardedBy("this")
    final boolean isOfOneLimit(long now) {
        return now - changed >= span;
    }

    @Override
    final void beforeLimit(long next, long now) {
        changed = now;
    }

    /* Under two limits everything counts as used, because part of it was granted at another rate. */
    @GuardedBy("this")
    @Override
    final long used(long now) {
        return isOfOneLimit(now) ? surplus(now) : counted();
    }
}
