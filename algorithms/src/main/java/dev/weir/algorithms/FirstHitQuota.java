package dev.weir.algorithms;

import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.EvictedState;
import dev.weir.spi.Flow;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Succession;
import java.time.Duration;

/**
 * A quota that begins with its first use: {@code limit} permits may be taken at once or one by one, then none until the
 * window that the first of them opened has passed. Kinder to a person who clicks ten times in a row than an even rate,
 * and asking in vain does not push the end away. At most {@code limit} in each window, and {@code 2 limit - 1} in any
 * half-open window of that length, where one ends and the next begins.
 *
 * <p>A changed limit is in force at once; the window that is open stays open and what was used stays used. A window of
 * which everything is given back by {@code CANCELLED} is closed; if others have used it too it stays open, and then a
 * window of that length that lies across its end may hold {@code 2 limit}.
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
        return new Evicted(this, ticker, ticker.read());
    }

    /** What is used and until when; what was used in the window before, and when it ended. */
    private record Evicted(FirstHitQuota spec, Ticker ticker, long began) implements EvictedState {
        private static final int USED = 0;
        private static final int CLOSES = 1;
        private static final int BEFORE = 2;
        private static final int ENDED = 3;

        @Override
        public int longs() {
            return 4;
        }

        @Override
        public boolean write(Strategy evicted, long[] state) {
            Quota quota = (Quota) evicted;
            long reading = ticker.read();
            synchronized (quota) {
                long now = quota.moveTo(reading);
                if (quota.used + quota.early(now) > 0) {
                    long since = reading - began - now;
                    state[USED] = quota.used;
                    state[CLOSES] = quota.used == 0 ? 0 : since + quota.opened + quota.window;
                    state[BEFORE] = quota.usedBefore;
                    state[ENDED] = since + quota.ended;
                }
            }
            return true;
        }

        @Override
        public Strategy read(long[] state, Strategy fresh) {
            Quota quota = (Quota) Succession.withoutDebt(fresh);
            long reading = ticker.read();
            synchronized (quota) {
                long now = quota.moveTo(reading);
                long since = reading - began - now;
                quota.used = state[USED];
                quota.opened = Math.min(now, state[CLOSES] - since - quota.window);
                quota.usedBefore = state[BEFORE];
                quota.ended = Math.min(now, state[ENDED] - since);
                quota.moveTo(reading);
            }
            return fresh;
        }

        @Override
        public boolean isFree(long[] state) {
            boolean isZero = state[USED] == 0 && state[BEFORE] == 0;
            return isZero || read(state, new Quota(ticker, spec)).used() == 0;
        }

        @Override
        public void stricter(long[] state, long[] other) {
            EvictedState.super.stricter(moved(state), moved(other));
        }

        @Override
        public void looser(long[] state, long[] other) {
            EvictedState.super.looser(moved(state), moved(other));
        }

        private long[] moved(long[] state) {
            if (state[USED] > 0 && ticker.read() - began >= state[CLOSES]) {
                state[BEFORE] = state[USED];
                state[ENDED] = state[CLOSES];
                state[USED] = 0;
                state[CLOSES] = 0;
            }
            return state;
        }
    }

    private static final class Quota implements Strategy {
        /*
         * A window is open while something of it is used; `opened` says since when. What the last one used counts as
         * used until a steady rate had brought it back too, from when that window ended.
         */
        private final Ticker ticker;
        private final Elapsed elapsed;
        private final long window;
        private long limit;
        private long opened;
        private long used;
        private long ended;
        private long usedBefore;

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
                opened = used == 0 ? now : opened;
                used += permits;
                return GRANTED;
            }
        }

        private long moveTo(long reading) {
            long now = elapsed.at(reading);
            if (used > 0 && now - opened >= window) {
                ended = opened + window;
                usedBefore = used;
                used = 0;
            }
            return now;
        }

        /** Gives back what was granted in the window that is still open. */
        @Override
        public void refund(Request request, long grantedAt) {
            long reading = ticker.read();
            synchronized (this) {
                long now = moveTo(reading);
                long since = elapsed.since(grantedAt);
                if (since >= 0 && now - since - ended >= 0) {
                    used = Math.max(0, used - request.permits());
                }
            }
        }

        boolean adjusted(FirstHitQuota spec) {
            boolean same = spec.window.toNanos() == window;
            if (same) {
                setLimit(spec.limit);
            }
            return same;
        }

        @Override
        public synchronized long limit() {
            return limit;
        }

        @Override
        public void setLimit(long limit) {
            Check.within("limit", limit, 1, Check.MOST);
            long reading = ticker.read();
            synchronized (this) {
                long now = moveTo(reading);
                long early = early(now);
                usedBefore = early == 0 ? 0 : early + Pace.refilled(limit, window, now - ended) + 1;
                this.limit = limit;
            }
        }

        private long early(long now) {
            return Math.max(0, usedBefore - Pace.refilled(limit, window, now - ended));
        }

        @Override
        public long used() {
            long reading = ticker.read();
            synchronized (this) {
                long now = moveTo(reading);
                return used + early(now);
            }
        }

        @Override
        public long remaining() {
            long reading = ticker.read();
            synchronized (this) {
                moveTo(reading);
                return Math.max(0, limit - used);
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
