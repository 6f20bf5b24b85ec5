package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.succession.EvictedState;
import dev.weir.succession.IndebtedRate;
import dev.weir.succession.PartStrategy;

/** The strategy of {@link FirstHitQuota}. */
final class QuotaWindow extends WindowStrategy {
    /*
     * A window is open while some of it is used; `opened` is its start. What the previous window used counts as used until a
     * steady rate would have refilled it too, from the end of that window.
     */
    private long opened;
    private long used;
    private long ended;
    private long usedBefore;

    QuotaWindow(Ticker ticker, long limit, long window) {
        super(ticker, limit, window);
    }

    @Override
    void count(long permits, long now) {
        opened = used == 0 ? now : opened;
        used += permits;
    }

    @Override
    long nanosUntilFree(long permits, long now) {
        return opened + window - now;
    }

    @Override
    long moveTo(long reading) {
        long now = elapsed.at(reading);
        if (used > 0 && now - opened >= window) {
            ended = opened + window;
            usedBefore = used;
            used = 0;
        }
        return now;
    }

    /** Refunds what was granted in the window that is still open. */
    @Override
    void refund(long permits, long now, long sinceGrant) {
        if (now - sinceGrant - ended >= 0) {
            used = Math.max(0, used - permits);
        }
    }

    @Override
    void beforeLimit(long next, long now) {
        long early = early(now);
        usedBefore = early == 0 ? 0 : early + RateArithmetic.refilled(next, window, now - ended) + 1;
    }

    /** The permits that the previous window used and a steady rate would not have refilled yet. */
    private long early(long now) {
        return Math.max(0, usedBefore - RateArithmetic.refilled(limit, window, now - ended));
    }

    @Override
    long counted() {
        return used;
    }

    @Override
    long used(long now) {
        return used + early(now);
    }

    /**
     * The state of an evicted quota: the permits used and the end of their window, and the same of the previous
     * window, which counts as used until a steady rate would have refilled it.
     */
    record Evicted(Ticker ticker, long began, long limit, long window) implements EvictedState {
        @Override
        public int longs() {
            return 4;
        }

        private long now() {
            return ticker.read() - began;
        }

        @Override
        public boolean write(PartStrategy evicted, long[] state) {
            QuotaWindow quota = (QuotaWindow) evicted;
            long reading = ticker.read();
            synchronized (quota) {
                long now = quota.moveTo(reading);
                long offset = reading - began - now;
                state[0] = quota.used;
                state[1] = quota.used == 0 ? 0 : quota.opened + window + offset;
                state[2] = quota.early(now) == 0 ? 0 : quota.usedBefore;
                state[3] = state[2] == 0 ? 0 : quota.ended + offset;
            }
            return true;
        }

        private long nanosOpen(long[] state) {
            return state[0] == 0 ? 0 : Math.max(0, state[1] - now());
        }

        /* What was used in windows that have ended and would not have refilled steadily yet. */
        private long early(long[] state) {
            long before = early(state[2], state[3]);
            return nanosOpen(state) > 0 ? before : Math.max(before, early(state[0], state[1]));
        }

        private long early(long permits, long ended) {
            return Math.max(0, permits - RateArithmetic.refilled(limit, window, Math.max(0, now() - ended)));
        }

        /* The same state, with a window that has ended as the previous window. */
        private long[] rolled(long[] state) {
            long[] rolled = state.clone();
            if (nanosOpen(state) == 0) {
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

        @Override
        public PartStrategy read(long[] state, PartStrategy fresh) {
            QuotaWindow quota = (QuotaWindow) IndebtedRate.inner(fresh);
            synchronized (quota) {
                long now = quota.moveTo(ticker.read());
                long open = nanosOpen(state);
                if (open > 0) {
                    quota.used = state[0];
                    quota.opened = now - Math.max(0, window - open);
                }
                quota.usedBefore = early(state);
                quota.ended = now;
            }
            return fresh;
        }

        @Override
        public boolean isFree(long[] state) {
            return nanosOpen(state) == 0 && early(state) == 0;
        }

        @Override
        public void stricter(long[] state, long[] other) {
            long[] mine = rolled(state);
            EvictedState.super.stricter(mine, rolled(other));
            System.arraycopy(mine, 0, state, 0, state.length);
        }

        /* A window that has ended is better evidence than an open one, which may belong to another key. */
        @Override
        public void looser(long[] state, long[] other) {
            boolean isOpen = nanosOpen(state) > 0;
            boolean isOtherOpen = nanosOpen(other) > 0;
            if (isOpen && isOtherOpen) {
                EvictedState.super.looser(state, other);
            } else if (isOpen || (!isOtherOpen && early(other) < early(state))) {
                System.arraycopy(other, 0, state, 0, state.length);
            }
        }
    }
}
