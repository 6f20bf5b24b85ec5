package dev.weir.algorithms;

import dev.weir.Ticker;
import java.util.Arrays;

/** The strategy of {@link SlidingLog}. */
final class GrantLog extends SlidingStrategy {
    /*
     * A ring of (time, end), oldest first from `head`, one entry for each instant. Its length is a power of two; it doubles
     * when it is full. `end` counts all permits granted so far, so both numbers increase from entry to entry and can be
     * searched; `expired` is the end of the last entry that was removed. No entry is empty, so there are never more entries
     * than the largest limit that was set.
     */
    static final long MAX_LIMIT = 1 << 20;

    private static final int MAX_PROBES = 1_000;

    private long[] times = new long[8];
    private long[] ends = new long[8];
    private int head;
    private int size;
    private long expired;

    GrantLog(Ticker ticker, long limit, long period) {
        super(ticker, limit, period, period);
    }

    @Override
    long maxLimit() {
        return MAX_LIMIT;
    }

    @Override
    long nanosUntilFree(long permits, long now) {
        return times[index(first(ends, expired + permits))] + window - now;
    }

    @Override
    long moveTo(long reading) {
        long now = elapsed.at(reading);
        if (size > 0 && now - times[head] >= window) {
            int old = first(times, now - window + 1);
            expired = end(old);
            head = index(old);
            size -= old;
        }
        return now;
    }

    private int index(int place) {
        return (head + place) & (times.length - 1);
    }

    /* The end of the first `entries` entries. */
    private long end(int entries) {
        return entries == 0 ? expired : ends[index(entries - 1)];
    }

    /* The first place with at least this value; the size if there is none. */
    private int first(long[] ring, long min) {
        int from = 0;
        int to = size;
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (ring[index(middle)] - min < 0) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    }

    @Override
    void count(long permits, long at) {
        if (size == 0 || times[index(size - 1)] != at) {
            if (size == times.length) {
                grow();
            }
            times[index(size)] = at;
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

    /** Refunds the oldest permits granted since then, so none that was granted after the request's own. */
    @Override
    void refund(long permits, long now, long sinceGrant) {
        if (sinceGrant >= window) {
            return;
        }
        int from = first(times, now - sinceGrant);
        long before = end(from);
        long refunded = Math.min(permits, end(size) - before);
        int kept = from;
        for (int place = from; place < size; place++) {
            long end = ends[index(place)] - refunded;
            if (end > before) {
                times[index(kept)] = times[index(place)];
                ends[index(kept)] = end;
                kept++;
            }
        }
        size = kept;
    }

    @Override
    long counted() {
        return end(size) - expired;
    }

    /* The most since any entry. If there are many entries, some are probed, each as late as the next could be. */
    @Override
    long surplus(long now) {
        long max = 0;
        int step = size / MAX_PROBES + 1;
        for (int place = 0; place < size; place += step) {
            long age = now - times[index(Math.min(size, place + step) - 1)];
            max = Math.max(max, end(size) - end(place) - RateArithmetic.refilled(limit, window, age));
        }
        return max;
    }

    @Override
    void each(long now, Use to) {
        for (int place = 0; place < size; place++) {
            to.of(now - times[index(place)], end(place + 1) - end(place));
        }
    }

    @Override
    void use(long now, long nanosAgo, long permits) {
        count(permits, now - nanosAgo);
    }
}
