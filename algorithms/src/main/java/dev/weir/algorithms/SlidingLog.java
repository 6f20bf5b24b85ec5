package dev.weir.algorithms;

import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.EvictedState;
import dev.weir.spi.Flow;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.Arrays;

/**
 * A sliding window that remembers when each permit was granted: at most {@code limit} in <b>any</b> half-open window of
 * one period, and never fewer than the limit allows; a permit comes back exactly one period after it was granted. The
 * price is memory: 16 bytes for each instant at which something was granted, up to the limit of them; room once made,
 * by doubling, is kept. A refusal looks through as many instants as it takes to free what is lacking.
 *
 * <p>A changed limit is in force at once, and what was used stays used. A longer period does not bring back what the
 * shorter one had forgotten.
 *
 * @param limit permits a period, 1 to 2^20; also the largest request
 * @param period 1 ns to 73 years
 */
public record SlidingLog(long limit, Duration period) implements StrategySpec {
    private static final long MOST = 1 << 20;

    /** Checks the components. */
    public SlidingLog {
        Check.within("limit", limit, 1, MOST);
        Check.nanos("period", period);
    }

    /** So many permits in any period. */
    public static SlidingLog of(long limit, Duration period) {
        return new SlidingLog(limit, period);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new Log(ticker, this);
    }

    /** Another limit, by the same window. */
    @Override
    public boolean adjust(Strategy running) {
        return running instanceof Log same && same.adjusted(this);
    }

    /** The use of a period in 14 slices, each counted until its last may end. */
    @Override
    public EvictedState evictedState(Ticker ticker) {
        return new Slices(ticker, Terms.distance(Slices.KEPT - 1, period.toNanos()), limit);
    }

    private static final class Log implements Slices.Window {
        /*
         * A ring of (time, permits), oldest first from `head`, one for each instant; as long as a power of two, and
         * doubled when it is full. No entry is empty, so there are never more than the largest limit there was.
         */
        private final Ticker ticker;
        private final Elapsed elapsed;
        private long limit;
        private long period;
        private long[] times = new long[8];
        private long[] counts = new long[8];
        private int head;
        private int size;
        private long sum;

        Log(Ticker ticker, SlidingLog spec) {
            this.ticker = ticker;
            this.elapsed = new Elapsed(ticker);
            this.limit = spec.limit;
            this.period = spec.period.toNanos();
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
                long excess = sum - (limit - permits);
                if (excess > 0) {
                    return nanosUntilFree(excess, now);
                }
                add(permits, now);
                return GRANTED;
            }
        }

        private long moveTo(long reading) {
            long now = elapsed.at(reading);
            if (size > 0 && now - times[index(size - 1)] >= period) {
                size = 0;
                sum = 0;
            }
            while (size > 0 && now - times[head] >= period) {
                forget(counts[head]);
            }
            return now;
        }

        /* Takes so many permits off the oldest entry. */
        private void forget(long permits) {
            sum -= permits;
            counts[head] -= permits;
            if (counts[head] == 0) {
                head = index(1);
                size--;
            }
        }

        private int index(int place) {
            return (head + place) & (times.length - 1);
        }

        private long nanosUntilFree(long excess, long now) {
            int place = 0;
            for (long left = excess - counts[head]; left > 0; left -= counts[index(place)]) {
                place++;
            }
            return times[index(place)] + period - now;
        }

        private void add(long permits, long now) {
            if (size > 0 && times[index(size - 1)] == now) {
                counts[index(size - 1)] += permits;
            } else {
                if (size == times.length) {
                    grow();
                }
                times[index(size)] = now;
                counts[index(size)] = permits;
                size++;
            }
            sum += permits;
        }

        private void grow() {
            long[] moreTimes = unrolled(times);
            long[] moreCounts = unrolled(counts);
            times = moreTimes;
            counts = moreCounts;
            head = 0;
        }

        private long[] unrolled(long[] ring) {
            long[] larger = Arrays.copyOfRange(ring, head, head + 2 * ring.length);
            System.arraycopy(ring, 0, larger, ring.length - head, head);
            return larger;
        }

        /** Gives back the oldest of what is used, if what was granted then still counts. */
        @Override
        public void refund(Request request, long grantedAt) {
            long reading = ticker.read();
            synchronized (this) {
                moveTo(reading);
                long since = elapsed.since(grantedAt);
                if (since < 0 || since >= period) {
                    return;
                }
                for (long left = request.permits(); left > 0 && size > 0; ) {
                    long back = Math.min(left, counts[head]);
                    forget(back);
                    left -= back;
                }
            }
        }

        synchronized boolean adjusted(SlidingLog spec) {
            boolean same = spec.period.toNanos() == period;
            limit = same ? spec.limit : limit;
            return same;
        }

        @Override
        public synchronized long limit() {
            return limit;
        }

        @Override
        public synchronized void setLimit(long limit) {
            Check.within("limit", limit, 1, MOST);
            this.limit = limit;
        }

        @Override
        public long used() {
            long reading = ticker.read();
            synchronized (this) {
                moveTo(reading);
                return sum;
            }
        }

        @Override
        public synchronized Flow flow() {
            return new Flow(limit, period, limit);
        }

        @Override
        public boolean holds() {
            return false;
        }

        @Override
        public void each(Slices.Use to) {
            long reading = ticker.read();
            synchronized (this) {
                long now = moveTo(reading);
                for (int place = 0; place < size; place++) {
                    to.of(now - times[index(place)], counts[index(place)]);
                }
            }
        }

        @Override
        public void use(long nanosAgo, long permits) {
            long reading = ticker.read();
            synchronized (this) {
                add(permits, moveTo(reading) - nanosAgo);
            }
        }
    }
}
