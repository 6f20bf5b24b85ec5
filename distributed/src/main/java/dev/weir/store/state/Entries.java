package dev.weir.store.state;

import java.util.Arrays;

/**
 * The grants of a log by time, of those that count. Each has the number of permits granted up to it, so that sums need no loop. Not
 * thread-safe.
 */
final class Entries implements SlidingCounts {
    /** The time of an entry, the permits granted up to it, and its own. */
    static final int LONGS = 3;

    private static final int TOTAL = 1;
    private static final int OWN = 2;
    private static final int AHEAD = 3;
    private static final int BASE = 4;
    private static final int PERIOD = 3;

    /** The entries that a log has beyond its limit before the newest are joined. */
    private static final int SPARE = 8;

    private final long period;
    private final long time;
    private final long ahead;
    private long[] entries;
    private int from;

    /** Of the permits up to this total none counts any more. */
    private long base;

    private Entries(long period, long now, long ahead, long[] entries, long base) {
        this.period = period;
        this.time = now + ahead;
        this.ahead = ahead;
        this.entries = entries;
        this.base = base;
        this.from = firstAfter(0, time - period);
        skipRefunded();
    }

    static Entries of(State log, long now) {
        long[] entries = log.elements();
        long newest = entries.length == 0 ? 0 : entries[entries.length - LONGS];
        long last = Math.max(log.at() + log.numbers()[AHEAD], newest);
        long ahead = Math.max(now + log.numbers()[AHEAD], last) - now;
        return new Entries(log.parameters()[PERIOD], now, ahead, entries, log.numbers()[BASE]);
    }

    /** The index of the first entry of which this long is larger. */
    private int firstAfter(int offset, long value) {
        int low = from / LONGS;
        int high = entries.length / LONGS;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (entries[middle * LONGS + offset] > value) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low * LONGS;
    }

    private void skipRefunded() {
        from = firstAfter(TOTAL, base);
        if (from == entries.length) {
            base = 0;
        }
    }

    private int newest() {
        return entries.length - LONGS;
    }

    private long total() {
        return from == entries.length ? base : entries[newest() + TOTAL];
    }

    @Override
    public long used() {
        if (from == entries.length) {
            return 0;
        }
        return total() - Math.max(base, entries[from + TOTAL] - entries[from + OWN]);
    }

    @Override
    public long reset() {
        return from == entries.length ? 0 : entries[newest()] + period - time;
    }

    @Override
    public long await(long permits, long limit) {
        if (used() + permits <= limit) {
            return 0;
        }
        int last = Math.min(newest(), firstAfter(TOTAL, total() - limit + permits - 1));
        return entries[last] + period - time;
    }

    @Override
    public void count(long permits, long limit) {
        long total = total() + permits;
        long own = permits;
        int size = (entries.length - from) / LONGS;
        boolean joins = size > 0 && (entries[newest()] == time || size >= limit + SPARE);
        long[] next = new long[(joins ? size : size + 1) * LONGS];
        System.arraycopy(entries, from, next, 0, Math.min(next.length, size * LONGS));
        if (joins) {
            own += entries[newest() + OWN];
        }
        entries = next;
        from = 0;
        entries[newest()] = time;
        entries[newest() + TOTAL] = total;
        entries[newest() + OWN] = own;
    }

    @Override
    public void refund(long permits) {
        base = total() - used() + Math.min(used(), permits);
        skipRefunded();
    }

    @Override
    public long ahead() {
        return ahead;
    }

    @Override
    public long base() {
        return base;
    }

    @Override
    public long[] elements() {
        return from == 0 ? entries : Arrays.copyOfRange(entries, from, entries.length);
    }
}
