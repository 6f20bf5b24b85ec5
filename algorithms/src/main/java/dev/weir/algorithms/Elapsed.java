package dev.weir.algorithms;

import dev.weir.Ticker;

/** Elapsed time that never decreases, from a ticker that may run back. Guarded by the owner's lock. */
final class Elapsed {
    /*
     * Only forward steps are added up. Time stands still while the ticker runs back, and a ticker that goes back and forth
     * gains no more than its forward steps. A reading taken before the lock may be older than the last one, because another
     * thread was faster. A second reading inside the lock tells this case from a ticker that ran back.
     *
     * `doubtful` is the highest reading before the ticker last ran back. A reading up to this value may have been taken
     * before or after that, so its age is unknown.
     */
    private static final long MAX_STEP = 1L << 62;

    private final Ticker ticker;
    private long last;
    private long total;
    private long doubtful;

    Elapsed(Ticker ticker) {
        this.ticker = ticker;
        this.last = ticker.read();
        this.doubtful = last - 1;
    }

    /** The nanoseconds elapsed at a reading of the ticker. Compare two results by difference. */
    long at(long reading) {
        long now = reading - last < 0 ? ticker.read() : reading;
        long step = now - last;
        if (step >= 0) {
            total += Math.min(step, MAX_STEP);
        } else {
            doubtful = last - doubtful > 0 ? last : doubtful;
        }
        last = now;
        return total;
    }

    /** The nanoseconds from an earlier reading to the last one; negative if unknown. */
    long since(long earlier) {
        return earlier - doubtful > 0 ? last - earlier : -1;
    }
}
