package dev.weir.algorithms;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Permit.Quota;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Account;
import dev.weir.spi.Traits;
import dev.weir.succession.PartStrategy;

/** A rate that counts what was granted within a window of time. Its state, also that of a subclass, is guarded by its own lock. */
abstract sealed class WindowStrategy implements PartStrategy permits QuotaWindow, SlidingStrategy {
    final Ticker ticker;
    final Elapsed elapsed;

    /** Nanoseconds. */
    final long window;

    long limit;

    WindowStrategy(Ticker ticker, long limit, long window) {
        this.ticker = ticker;
        this.elapsed = new Elapsed(ticker);
        this.limit = limit;
        this.window = window;
    }

    /* In what follows, now is the elapsed time of the present. */

    /** Moves the window to a reading of the ticker. Returns the elapsed time. */
    @GuardedBy("this")
    abstract long moveTo(long reading);

    @GuardedBy("this")
    abstract long counted();

    /** Counts permits as granted now. */
    @GuardedBy("this")
    abstract void count(long permits, long now);

    /** In how many nanoseconds this many of the counted permits, at least 1, will be free. */
    @GuardedBy("this")
    abstract long nanosUntilFree(long permits, long now);

    @GuardedBy("this")
    abstract long used(long now);

    /** Another limit comes into force. */
    @GuardedBy("this")
    abstract void beforeLimit(long next, long now);

    @GuardedBy("this")
    abstract void refund(long permits, long now, long sinceGrant);

    long maxLimit() {
        return Check.MAX_PERMITS;
    }

    /** Continues with another limit in the same window; false if the window is another. */
    final boolean adjusted(long next, long ofWindow) {
        if (ofWindow != window) {
            return false;
        }
        setLimit(next);
        return true;
    }

    @Override
    public final long acquire(Request request) {
        long permits = request.permits();
        long reading = ticker.read();
        synchronized (this) {
            long now = moveTo(reading);
            if (permits > limit) {
                return NEVER;
            }
            long excess = counted() - (limit - permits);
            if (excess > 0) {
                return nanosUntilFree(excess, now);
            }
            count(permits, now);
            return GRANTED;
        }
    }

    @Override
    public final void refund(Request request, long grantedAt) {
        long reading = ticker.read();
        synchronized (this) {
            long now = moveTo(reading);
            long since = elapsed.since(grantedAt);
            if (since >= 0) {
                refund(request.permits(), now, since);
            }
        }
    }

    @Override
    public final synchronized long limit() {
        return limit;
    }

    @Override
    public final void setLimit(long next) {
        Check.within("limit", next, 1, maxLimit());
        long reading = ticker.read();
        synchronized (this) {
            if (next != limit) {
                beforeLimit(next, moveTo(reading));
                limit = next;
            }
        }
    }

    @Override
    public final Account account() {
        long reading = ticker.read();
        synchronized (this) {
            return new Account(limit, window, limit, used(moveTo(reading)));
        }
    }

    @Override
    public final Quota quota(Request request) {
        long reading = ticker.read();
        synchronized (this) {
            long now = moveTo(reading);
            long counted = counted();
            return new Quota(
                    limit,
                    Math.max(0, limit - counted),
                    counted == 0 ? 0 : Math.max(0, nanosUntilFree(counted, now)),
                    window);
        }
    }

    @Override
    public final Traits traits() {
        return Traits.RATE;
    }

    /** Elapsed time that never decreases, from a ticker that may run back. Guarded by the owner's lock. */
    static final class Elapsed {
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
}
