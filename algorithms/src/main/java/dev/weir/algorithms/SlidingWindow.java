package dev.weir.algorithms;

import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.EvictedState;
import dev.weir.spi.RefillRate;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import java.time.Duration;

/**
 * A sliding window counted in {@code blocks} sub-windows: at most {@code limit} permits in <b>any</b> half-open window of
 * one period, wherever it begins. One block more than the period is long is kept, since the oldest lies across the
 * window's edge; that is why the bound is the limit and not twice the limit, and the price is that what was used comes
 * back up to one block late: a saturated window grants at least {@code limit} in any {@code (blocks + 1) *
 * ceil(period / blocks)}. Memory: one number a block.
 *
 * <p>A changed limit is in force at once, and what was used stays used.
 *
 * @param limit permits a period, 1 to 2^60; also the largest request
 * @param period 1 ns to 73 years
 * @param blocks the precision, 1 to 10,000
 */
public record SlidingWindow(long limit, Duration period, int blocks) implements StrategySpec {
    /** Checks the components. */
    public SlidingWindow {
        Check.within("limit", limit, 1, Check.MOST);
        Check.nanos("period", period);
        Check.within("blocks", blocks, 1, 10_000);
    }

    /** With ten blocks: what was used comes back at most a tenth of the period late. */
    public static SlidingWindow of(long limit, Duration period) {
        return new SlidingWindow(limit, period, 10);
    }

    /** The same with another precision. */
    public SlidingWindow withBlocks(int blocks) {
        return new SlidingWindow(limit, period, blocks);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new Blocks(ticker, this);
    }

    /** Another limit, by the same window. */
    @Override
    public boolean adjust(Strategy running) {
        return running instanceof Blocks same && same.adjusted(this);
    }

    @Override
    public SlidingWindow withLimit(long limit) {
        return new SlidingWindow(limit, period, blocks);
    }

    /** The use of a period in 14 slices of whole blocks, each counted until its last block would be. */
    @Override
    public EvictedState evictedState(Ticker ticker) {
        long inSlice = Rate.distance(Slices.KEPT - 1, blocks);
        return new Slices(ticker, inSlice * Rate.distance(blocks, period.toNanos()), limit);
    }

    private static final class Blocks implements Slices.Window {
        /*
         * A ring of blocks + 1 counts. The newest block began at `begun`, the one `age` blocks older at begun - age *
         * width; it is forgotten when the newest but blocks + 1 begins.
         *
         *     | oldest |        | ...    | newest |
         *                                  ^ now
         *       ^ a window of blocks * width that ends now begins in the oldest, at the earliest
         */
        private final Ticker ticker;
        private final Elapsed elapsed;
        private final long period;
        private final long width;
        private final long[] used;
        private long limit;
        private long changed;
        private int newest;
        private long begun;
        private long sum;

        Blocks(Ticker ticker, SlidingWindow spec) {
            this.ticker = ticker;
            this.elapsed = new Elapsed(ticker);
            this.limit = spec.limit;
            this.period = spec.period.toNanos();
            this.used = new long[spec.blocks + 1];
            this.width = Rate.distance(spec.blocks, period);
            this.changed = -width * used.length;
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
                used[newest] += permits;
                sum += permits;
                return GRANTED;
            }
        }

        private long moveTo(long reading) {
            long now = elapsed.at(reading);
            long passed = (now - begun) / width;
            begun += passed * width;
            for (long i = Math.min(passed, used.length); i > 0; i--) {
                newest = older(used.length - 1);
                sum -= used[newest];
                used[newest] = 0;
            }
            return now;
        }

        private int older(int age) {
            int index = newest - age;
            return index < 0 ? index + used.length : index;
        }

        private long nanosUntilFree(long excess, long now) {
            int age = used.length - 1;
            for (long left = excess - used[older(age)]; left > 0; left -= used[older(age)]) {
                age--;
            }
            return begun - now + (used.length - age) * width;
        }

        /** Gives back the oldest of what was granted since the block of then: nothing granted after the request's own. */
        @Override
        public void refund(Request request, long grantedAt) {
            long reading = ticker.read();
            synchronized (this) {
                long now = moveTo(reading);
                long since = elapsed.since(grantedAt);
                if (since >= 0 && since < period) {
                    long before = Math.max(0, begun - (now - since));
                    giveBack((int) ((before + width - 1) / width), request.permits());
                }
            }
        }

        private void giveBack(int oldest, long permits) {
            long left = permits;
            for (int age = oldest; left > 0 && age >= 0; age--) {
                long back = Math.min(left, used[older(age)]);
                used[older(age)] -= back;
                sum -= back;
                left -= back;
            }
        }

        boolean adjusted(SlidingWindow spec) {
            boolean same = spec.period.toNanos() == period && spec.blocks == used.length - 1;
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
                changed = limit == this.limit ? changed : moveTo(reading);
                this.limit = limit;
            }
        }

        /** While it counts what came before a change of the limit all that it counts, for that came by another rate. */
        @Override
        public long used() {
            long reading = ticker.read();
            synchronized (this) {
                long now = moveTo(reading);
                return now - changed < width * used.length ? sum : surplus(now);
            }
        }

        /* The most since any block began, each as late as it may have been. */
        private long surplus(long now) {
            long most = used[newest];
            long since = most;
            for (int age = 1; age < used.length && since < sum; age++) {
                since += used[older(age)];
                long steady = Pace.refilled(limit, period, now - begun + (age - 1) * width);
                most = Math.max(most, since - steady);
            }
            return most;
        }

        @Override
        public long remaining() {
            long reading = ticker.read();
            synchronized (this) {
                moveTo(reading);
                return Math.max(0, limit - sum);
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
                for (int age = used.length - 1; age >= 0; age--) {
                    long lastAgo = age == 0 ? 0 : now - begun + (age - 1) * width + 1;
                    if (used[older(age)] > 0) {
                        to.of(lastAgo, used[older(age)]);
                    }
                }
            }
        }

        @Override
        public boolean isOfOneLimit() {
            long reading = ticker.read();
            synchronized (this) {
                return moveTo(reading) - changed >= width * used.length;
            }
        }

        @Override
        public void align(long now) {
            long reading = ticker.read();
            synchronized (this) {
                begun = moveTo(reading) - Math.floorMod(now, width);
            }
        }

        @Override
        public void use(long nanosAgo, long permits) {
            long reading = ticker.read();
            synchronized (this) {
                long before = begun - (moveTo(reading) - nanosAgo);
                long age = before <= 0 ? 0 : (before - 1) / width + 1;
                if (age < used.length) {
                    used[older((int) age)] += permits;
                    sum += permits;
                }
            }
        }
    }
}
