package dev.weir.algorithms;

import dev.weir.Ticker;

/** The strategy of {@link SlidingWindow}. */
final class BlockCounts extends SlidingStrategy {
    /*
     * A ring of blocks + 1 counts. The newest block began at `begun`, the block that is `age` blocks older at begun - age *
     * width. A block is removed when the block that is blocks + 1 later begins.
     *
     *     | oldest |        | ...    | newest |
     *                                  ^ now
     *       ^ a window of blocks * width that ends now begins in the oldest block, at the earliest
     */
    final int blocks;
    private final long width;
    private final long[] counts;
    private int newest;
    private long begun;
    private long sum;

    BlockCounts(Ticker ticker, long limit, long period, int blocks) {
        super(ticker, limit, period, (blocks + 1) * Rate.interval(blocks, period));
        this.blocks = blocks;
        this.counts = new long[blocks + 1];
        this.width = Rate.interval(blocks, period);
    }

    @Override
    void count(long permits, long now) {
        counts[newest] += permits;
        sum += permits;
    }

    @Override
    long moveTo(long reading) {
        long now = elapsed.at(reading);
        long passed = (now - begun) / width;
        begun += passed * width;
        for (long i = Math.min(passed, counts.length); i > 0; i--) {
            newest = index(counts.length - 1);
            sum -= counts[newest];
            counts[newest] = 0;
        }
        return now;
    }

    private int index(int age) {
        int index = newest - age;
        return index < 0 ? index + counts.length : index;
    }

    @Override
    long nanosUntilFree(long permits, long now) {
        int age = counts.length - 1;
        for (long left = permits - counts[index(age)]; left > 0; left -= counts[index(age)]) {
            age--;
        }
        return begun - now + (counts.length - age) * width;
    }

    /** Refunds the oldest permits since the block of that time, so none that was granted after the request's own. */
    @Override
    void refund(long permits, long now, long sinceGrant) {
        if (sinceGrant >= window) {
            return;
        }
        long before = Math.max(0, begun - (now - sinceGrant));
        long left = permits;
        for (int age = (int) ((before + width - 1) / width); left > 0 && age >= 0; age--) {
            long refunded = Math.min(left, counts[index(age)]);
            counts[index(age)] -= refunded;
            sum -= refunded;
            left -= refunded;
        }
    }

    @Override
    long counted() {
        return sum;
    }

    /* The most since the start of any block, each as late as it may have been. */
    @Override
    long surplus(long now) {
        long max = counts[newest];
        long since = max;
        for (int age = 1; age < counts.length && since < sum; age++) {
            since += counts[index(age)];
            long steady = RateArithmetic.refilled(limit, window, now - begun + (age - 1) * width);
            max = Math.max(max, since - steady);
        }
        return max;
    }

    @Override
    void each(long now, Use to) {
        for (int age = counts.length - 1; age >= 0; age--) {
            long endAgo = age == 0 ? 0 : now - begun + (age - 1) * width + 1;
            if (counts[index(age)] > 0) {
                to.of(endAgo, counts[index(age)]);
            }
        }
    }

    @Override
    void align(long elapsedTime, long time) {
        begun = elapsedTime - Math.floorMod(time, width);
    }

    @Override
    void use(long now, long nanosAgo, long permits) {
        long before = begun - (now - nanosAgo);
        long age = before <= 0 ? 0 : (before - 1) / width + 1;
        if (age < counts.length) {
            counts[index((int) age)] += permits;
            sum += permits;
        }
    }
}
