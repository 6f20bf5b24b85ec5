package dev.weir.algorithms;

import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.EvictedState;
import dev.weir.spi.RefillRate;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import dev.weir.succession.Succession;
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
    public FirstHitQuota withLimit(long limit) {
        return new FirstHitQuota(limit, window);
    }

    @Override
    public EvictedState evictedState(Ticker ticker) {
        return new Evicted(ticker, ticker.read(), limit, window.toNanos());
    }

    /** What is used, and until when; and the same of the window before, which counts as used until it has refilled. */
    private record Evicted(Ticker ticker, long began, long limit, long window) implements EvictedState {
        @Override
        public int longs() {
            return 4;
        }

        private long now() {
            return ticker.read() - began;
        }

        @Override
        public boolean write(Strategy evicted, long[] state) {
            Quota quota = (Quota) evicted;
            long reading = ticker.read();
            synchronized (quota) {
                long now = quota.moveTo(reading);
                long ahead = reading - began - now;
                state[0] = quota.used;
                state[1] = quota.used == 0 ? 0 : quota.opened + window + ahead;
                state[2] = quota.early(now) == 0 ? 0 : quota.usedBefore;
                state[3] = state[2] == 0 ? 0 : quota.ended + ahead;
            }
            return true;
        }

        private long left(long[] state) {
            return state[0] == 0 ? 0 : Math.max(0, state[1] - now());
        }

        /* What of both has ended and has not refilled. */
        private long early(long[] state) {
            long before = early(state[2], state[3]);
            return left(state) > 0 ? before : Math.max(before, early(state[0], state[1]));
        }

        /* The same state, with a window that has passed as the window before. */
        private long[] rolled(long[] state) {
            long[] rolled = state.clone();
            if (left(state) == 0) {
                boolean isLater = early(state[0], state[1]) > early(state[2], state[3]);
                System.arraycopy(state, isLater ? 0 : 2, rolled, 2, 2);
                rolled[0] = 0;
                rolled[1] = 0;
            }
            if (early(rolled[2], rolled[3]) == 0) {
                rolled[2] = 0;
                rolled[3] = 0;
            }
            return rolled;
        }

        private long early(long permits, long ended) {
            return Math.max(0, permits - Pace.refilled(limit, window, Math.max(0, now() - ended)));
        }

        @Override
        public Strategy read(long[] state, Strategy fresh) {
            Quota quota = (Quota) Succession.withoutDebt(fresh);
            long now = quota.moveTo(ticker.read());
            long left = left(state);
            if (left > 0) {
                quota.used = state[0];
                quota.opened = now - Math.max(0, window - left);
            }
            quota.usedBefore = early(state);
            quota.ended = now;
            return fresh;
        }

        @Override
        public boolean isFree(long[] state) {
            return left(state) == 0 && early(state) == 0;
        }

        @Override
        public void stricter(long[] state, long[] other) {
            long[] mine = rolled(state);
            EvictedState.super.stricter(mine, rolled(other));
            System.arraycopy(mine, 0, state, 0, state.length);
        }

        /* A window that has passed tells more than one that may be another key's. */
        @Override
        public void looser(long[] state, long[] other) {
            if (left(state) > 0 && left(other) > 0) {
                EvictedState.super.looser(state, other);
            } else if (left(state) > 0 || (left(other) == 0 && early(other) < early(state))) {
                System.arraycopy(other, 0, state, 0, state.length);
            }
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
        public synchronized RefillRate refillRate() {
            return new RefillRate(limit, window, limit);
        }

        @Override
        public Traits traits() {
            return Traits.RATE;
        }
    }
}
