package dev.weir.algorithms;

import dev.weir.Ticker;

/** Time that only goes forward, from a clock that should. Guarded by its owner's lock. */
final class Elapsed {
    /*
     * Only forward steps are added up, so a clock that runs back stands still here, and one that flaps earns no more
     * than its way forward. A reading taken before the lock may be older than the last one, because another thread was
     * faster; a second one, inside the lock, tells this from a clock that ran back.
     *
     * `doubtful` is the highest reading from before the clock last ran back: a reading up to there may have been made
     * before or after, so it does not tell how long ago it was.
     */
    private static final long LONGEST_STEP = 1L << 62;

    private final Ticker ticker;
    private long last;
    private long total;
    private long doubtful;

    Elapsed(Ticker ticker) {
        this.ticker = ticker;
        this.last = ticker.read();
        this.doubtful = last - 1;
    }

    /** The nanoseconds gone by at a reading; compare by difference. */
    long at(long reading) {
        long now = reading - last < 0 ? ticker.read() : reading;
        long step = now - last;
        if (step >= 0) {
            total += Math.min(step, LONGEST_STEP);
        } else {
            doubtful = last - doubtful > 0 ? last : doubtful;
        }
        last = now;
        return total;
    }

    /** How long before the last reading an earlier one was; negative if that is not known. */
    long since(long earlier) {
        return earlier - doubtful > 0 ? last - earlier : -1;
    }
}
