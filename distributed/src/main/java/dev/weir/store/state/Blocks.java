package dev.weir.store.state;

import java.util.Arrays;

/**
 * The permits of a sliding window by block, of those blocks that count. One block more than the period has counts, because the oldest lies
 * across the start of the window. Not thread-safe.
 */
final class Blocks implements SlidingCounts {
    /** The number of a block and its permits. */
    static final int LONGS = 2;

    private static final int AHEAD = 3;
    private static final int LENGTH = 3;
    private static final int COUNT = 4;

    private final long length;
    private final long blocks;
    private final long time;
    private final long ahead;
    private long[] counts;
    private int from;

    private Blocks(long length, long blocks, long now, long ahead, long[] counts) {
        this.length = length;
        this.blocks = blocks;
        this.time = now + ahead;
        this.ahead = ahead;
        this.counts = counts;
    }

    static Blocks of(State window, long now) {
        long length = Math.max(1, window.parameters()[LENGTH]);
        long ahead = window.numbers()[AHEAD] + Math.max(0, window.at() - now);
        Blocks read = new Blocks(
                length,
                window.parameters()[COUNT],
                now,
                ahead,
                window.elements().clone());
        long oldest = read.current() - read.blocks;
        while (read.from < read.counts.length && read.counts[read.from] < oldest) {
            read.from += LONGS;
        }
        return read;
    }

    private long current() {
        return time / length;
    }

    @Override
    public long ahead() {
        return ahead;
    }

    @Override
    public long used() {
        long used = 0;
        for (int i = from; i < counts.length; i += LONGS) {
            used = Math.min(Long.MAX_VALUE / 2, used + counts[i + 1]);
        }
        return used;
    }

    /** Microseconds until a block counts no more. */
    private long freeAt(long block) {
        return Units.times(block + blocks + 1, length) - time;
    }

    @Override
    public long reset() {
        return from == counts.length ? 0 : freeAt(counts[counts.length - LONGS]);
    }

    @Override
    public long await(long permits, long limit) {
        long newer = 0;
        for (int i = counts.length - LONGS; i >= from; i -= LONGS) {
            newer += counts[i + 1];
            if (newer + permits > limit) {
                return freeAt(counts[i]);
            }
        }
        return 0;
    }

    @Override
    public void count(long permits, long limit) {
        int newest = counts.length - LONGS;
        if (newest < from || counts[newest] != current()) {
            long[] more = new long[counts.length - from + LONGS];
            System.arraycopy(counts, from, more, 0, counts.length - from);
            counts = more;
            from = 0;
            newest = counts.length - LONGS;
            counts[newest] = current();
        }
        counts[newest + 1] = Units.added(counts[newest + 1], permits);
    }

    @Override
    public void refund(long permits) {
        long left = permits;
        while (left > 0 && from < counts.length) {
            long part = Math.min(left, counts[from + 1]);
            left -= part;
            counts[from + 1] -= part;
            from += counts[from + 1] == 0 ? LONGS : 0;
        }
    }

    @Override
    public long[] elements() {
        return from == 0 ? counts : Arrays.copyOfRange(counts, from, counts.length);
    }
}
