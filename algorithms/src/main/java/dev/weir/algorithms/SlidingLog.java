package dev.weir.algorithms;

import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.EvictedState;
import dev.weir.spi.RefillRate;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import java.time.Duration;
import java.util.Arrays;

/**
 * A sliding window that remembers when each permit was granted: at most {@code limit} in <b>any</b> half-open window of
 * one period, and never fewer than the limit allows; a permit comes back exactly one period after it was granted. The
 * price is memory: 16 bytes for each instant at which something was granted, up to the limit of them; room once made,
 * by doubling, is kept. To grant or to refuse takes a binary search at most.
 *
 * <p>A changed limit is in force at once, and what was used stays used.
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

    @Override
    public SlidingLog withLimit(long limit) {
        return new SlidingLog(limit, period);
    }

    /** The use of a period in 14 slices, each counted until its last may end. */
    @Override
    public EvictedState evictedState(Ticker ticker) {
        return new Slices(ticker, Rate.distance(Slices.KEPT - 1, period.toNanos()), limit);
    }

    private static final class Log implements Slices.Window {
        /*
         * A ring of (time, end), oldest first from `head`, one for each instant; as long as a power of two, and doubled
         * when it is full. `end` counts all permits granted up to then, so both grow from entry to entry and can be
         * searched; `gone` is the end of the last entry that was forgotten. No entry is empty, so there are never more
         * than the largest limit there was.
         */
        private static final int MOST_LOOKS = 1_000;

        private final Ticker ticker;
        private final Elapsed elapsed;
        private final long period;
        private long limit;
        private long changed;
        private long[] times = new long[8];
        private long[] ends = new long[8];
        private int head;
        private int size;
        private long gone;

        Log(Ticker ticker, SlidingLog spec) {
            this.ticker = ticker;
            this.elapsed = new Elapsed(ticker);
            this.limit = spec.limit;
            this.period = spec.period.toNanos();
            this.changed = -period;
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
                long excess = end(size) - gone - (limit - permits);
                if (excess > 0) {
                    return times[index(first(ends, gone + excess))] + period - now;
                }
                add(permits, now);
                return GRANTED;
            }
        }

        private long moveTo(long reading) {
            long now = elapsed.at(reading);
            if (size > 0 && now - times[head] >= period) {
                int expired = first(times, now - period + 1);
                gone = end(expired);
                head = index(expired);
                size -= expired;
            }
            return now;
        }

        private int index(int place) {
            return (head + place) & (times.length - 1);
        }

        /* The end of so many entries. */
        private long end(int entries) {
            return entries == 0 ? gone : ends[index(entries - 1)];
        }

        /* The first place at which there is so much, or one more than the last. */
        private int first(long[] ring, long least) {
            int from = 0;
            int to = size;
            while (from < to) {
                int middle = (from + to) >>> 1;
                if (ring[index(middle)] - least < 0) {
                    from = middle + 1;
                } else {
                    to = middle;
                }
            }
            return from;
        }

        private void add(long permits, long now) {
            if (size == 0 || times[index(size - 1)] != now) {
                if (size == times.length) {
                    grow();
                }
                times[index(size)] = now;
                ends[index(size)] = end(size);
                size++;
            }
            ends[index(size - 1)] += permits;
        }

        private void grow() {
            long[] moreTimes = unrolled(times);
            long[] moreEnds = unrolled(ends);
            times = moreTimes;
            ends = moreEnds;
            head = 0;
        }

        private long[] unrolled(long[] ring) {
            long[] larger = Arrays.copyOfRange(ring, head, head + 2 * ring.length);
            System.arraycopy(ring, 0, larger, ring.length - head, head);
            return larger;
        }

        /** Gives back the oldest of what was granted since then: nothing that was granted after the request's own. */
        @Override
        public void refund(Request request, long grantedAt) {
            long reading = ticker.read();
            synchronized (this) {
                long now = moveTo(reading);
                long since = elapsed.since(grantedAt);
                if (since >= 0 && since < period) {
                    giveBack(first(times, now - since), request.permits());
                }
            }
        }

        private void giveBack(int from, long permits) {
            long before = end(from);
            long back = Math.min(permits, end(size) - before);
            int kept = from;
            for (int place = from; place < size; place++) {
                long end = ends[index(place)] - back;
                if (end > before) {
                    times[index(kept)] = times[index(place)];
                    ends[index(kept)] = end;
                    kept++;
                }
            }
            size = kept;
        }

        boolean adjusted(SlidingLog spec) {
            boolean same = spec.period.toNanos() == period;
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
            Check.within("limit", limit, 1, MOST);
            long reading = ticker.read();
            synchronized (this) {
                changed = limit == this.limit ? changed : moveTo(reading);
                this.limit = limit;
            }
        }

        /** For one period after a change of the limit all that it remembers, for that came by another rate. */
        @Override
        public long used() {
            long reading = ticker.read();
            synchronized (this) {
                long now = moveTo(reading);
                return now - changed < period ? end(size) - gone : surplus(now);
            }
        }

        /* The most since any entry; if there are many, since any of some, up to the latest before the next. */
        private long surplus(long now) {
            long most = 0;
            int step = size / MOST_LOOKS + 1;
            for (int place = 0; place < size; place += step) {
                long age = now - times[index(Math.min(size, place + step) - 1)];
                most = Math.max(most, end(size) - end(place) - Pace.refilled(limit, period, age));
            }
            return most;
        }

        @Override
        public long remaining() {
            long reading = ticker.read();
            synchronized (this) {
                moveTo(reading);
                return Math.max(0, limit - (end(size) - gone));
            }
        }

        @Override
        public synchronized RefillRate refillRate() {
            return new RefillRate(limit, period, limit);
        }

        @Override
        public Traits traits() {
            return Traits.RATE;
        }

        @Override
        public void each(Slices.Use to) {
            long reading = ticker.read();
            synchronized (this) {
                long now = moveTo(reading);
                for (int place = 0; place < size; place++) {
                    to.of(now - times[index(place)], end(place + 1) - end(place));
                }
            }
        }

        @Override
        public boolean isOfOneLimit() {
            long reading = ticker.read();
            synchronized (this) {
                return moveTo(reading) - changed >= period;
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
