package dev.weir.algorithms;

import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.EvictedState;
import dev.weir.spi.Flow;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.time.Duration;

/**
 * A quota that begins with its first use: {@code limit} permits may be taken at once or one by one, then none until the
 * window that the first of them opened has passed. Kinder to a person who clicks ten times in a row than an even rate,
 * and asking in vain does not push the end away. At most {@code limit} in each window, and {@code 2 limit - 1} in any
 * half-open window of that length, where one ends and the next begins.
 *
 * <p>A changed limit or window is in force at once; the window that is open stays open and what was used stays used.
 *
 * @param limit permits a window, 1 to 2^60; also the largest request
 * @param window 1 ns to 73 years
 */
public record FirstHitQuota(long limit, Duration window) implements StrategySpec {
    /** Checks the components. */
    public FirstHitQuota {
        Check.within("limit", limit, 1, Check.MOST);
        Check.nanos("window", window);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new Quota(ticker, this);
    }

    /** Another limit, by the same window. */
    @Override
    public boolean adjust(Strategy running) {
        return running instanceof Quota same && same.adjusted(this);
    }

    @Override
    public EvictedState evictedState(Ticker ticker) {
        return new Evicted(ticker, ticker.read());
    }

    /** What is used, and until when. */
    private record Evicted(Ticker ticker, long began) implements EvictedState {
        @Override
        public int longs() {
            return 2;
        }

        @Override
        public boolean write(Strategy evicted, long[] state) {
            Quota quota = (Quota) evicted;
            long reading = ticker.read();
            synchronized (quota) {
                long now = quota.moveTo(reading);
                state[0] = quota.used;
                state[1] = quota.used == 0 ? 0 : reading - began + quota.opened + quota.window - now;
            }
            return true;
        }

        private long left(long[] state) {
            return state[0] == 0 ? 0 : Math.max(0, state[1] - (ticker.read() - began));
        }

        @Override
        public Strategy read(long[] state, Strategy fresh) {
            Quota quota = (Quota) fresh;
            long left = left(state);
            if (left > 0) {
                quota.used = state[0];
                quota.opened = quota.moveTo(ticker.read()) - Math.max(0, quota.window - left);
            }
            return quota;
        }

        @Override
        public boolean isFree(long[] state) {
            return left(state) == 0;
        }

        @Override
        public void stricter(long[] state, long[] other) {
            if (isFree(state)) {
                System.arraycopy(other, 0, state, 0, state.length);
            } else if (!isFree(other)) {
                EvictedState.super.stricter(state, other);
            }
        }
    }

    private static final class Quota implements Strategy {
        /* A window is open while something of it is used; `opened` says since when. */
        private final Ticker ticker;
        private final Elapsed elapsed;
        private long limit;
        private long window;
        private long opened;
        private long used;

        Quota(Ticker ticker, FirstHitQuota spec) {
            this.ticker = ticker;
            this.elapsed = new Elapsed(ticker);
            this.limit = spec.limit;
            this.window = spec.window.toNanos();
        }

        @Override
        public long acquire(Request request) {
            long permits = request.permits();
            long reading = ticker.read();
            synchronized (this) {
                long now = moveTo(reading);
                if (permits > limit) {
                    return NEVER;
                }
                if (used > limit - permits) {
                    return opened + window - now;
                }
                take(permits, now);
                return GRANTED;
            }
        }

        private long moveTo(long reading) {
            long now = elapsed.at(reading);
            if (now - opened >= window) {
                used = 0;
            }
            return now;
        }

        private void take(long permits, long now) {
            opened = used == 0 ? now : opened;
            used += permits;
        }

        /** Gives back what was granted in the window that is still open, but does not close it. */
        @Override
        public void refund(Request request, long grantedAt) {
            long reading = ticker.read();
            synchronized (this) {
                long now = moveTo(reading);
                long since = elapsed.since(grantedAt);
                if (since >= 0 && now - since - opened >= 0) {
                    used = Math.max(Math.min(used, 1), used - request.permits());
                }
            }
        }

        synchronized boolean adjusted(FirstHitQuota spec) {
            boolean same = spec.window.toNanos() == window;
            limit = same ? spec.limit : limit;
            return same;
        }

        @Override
        public synchronized long limit() {
            return limit;
        }

        @Override
        public synchronized void setLimit(long limit) {
            Check.within("limit", limit, 1, Check.MOST);
            this.limit = limit;
        }

        @Override
        public long used() {
            long reading = ticker.read();
            synchronized (this) {
                moveTo(reading);
                return used;
            }
        }

        @Override
        public synchronized Flow flow() {
            return new Flow(limit, window, limit);
        }

        @Override
        public boolean holds() {
            return false;
        }
    }
}
