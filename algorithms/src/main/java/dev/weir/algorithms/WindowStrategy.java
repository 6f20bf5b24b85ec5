package dev.weir.algorithms;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Permit.Quota;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Account;
import dev.weir.spi.Traits;
import dev.weir.succession.PartStrategy;

/** A rate that counts what was granted within a window of time. Its state is guarded by its own lock. */
abstract sealed class WindowStrategy implements PartStrategy permits QuotaWindow, SlidingStrategy {
    final Ticker ticker;
    final Elapsed elapsed;

    /** Nanoseconds. */
    final long window;

    @GuardedBy("this")
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
}
