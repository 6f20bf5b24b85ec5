package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.succession.EvictedState;
import dev.weir.succession.IndebtedRate;
import dev.weir.succession.PartStrategy;

/** The state of an evicted sliding window: the permits used in each of 14 slices of time, as if used at a slice's end. */
final class EvictedWindow implements EvictedState {
    /*
     * Slices are the same for all keys, so that two states are combined slice by slice, and a state that is written, read
     * and written again does not change. Slice k is [k * width, (k + 1) * width) since the creation. 13 slices are at least
     * as long as the period, so 14, with part of the present one, hold all that counts.
     *
     *     state[0]        k of the newest slice
     *     state[1], ...   the counts, newest first, as many per long as fit
     */
    static final int SLICES = 14;

    private final Ticker ticker;
    private final long began;
    private final long width;
    private final long maxCount;
    private final int bits;
    private final int countsPerLong;

    /** For windows with at most this limit; 13 slices of this width must not be shorter than the period. */
    EvictedWindow(Ticker ticker, long width, long limit) {
        this.ticker = ticker;
        this.began = ticker.read();
        this.width = width;
        this.bits = Math.max(9, 64 - Long.numberOfLeadingZeros(limit));
        this.maxCount = (1L << bits) - 1;
        this.countsPerLong = 63 / bits;
    }

    @Override
    public int longs() {
        return 1 + (SLICES + countsPerLong - 1) / countsPerLong;
    }

    private long now() {
        return ticker.read() - began;
    }

    @Override
    public boolean write(PartStrategy evicted, long[] state) {
        SlidingStrategy window = (SlidingStrategy) evicted;
        long reading = ticker.read();
        long now = reading - began;
        state[0] = Math.floorDiv(now, width);
        boolean[] fits = {true};
        synchronized (window) {
            long elapsedTime = window.moveTo(reading);
            fits[0] = window.isOfOneLimit(elapsedTime);
            window.each(elapsedTime, (nanosAgo, permits) -> {
                long age = state[0] - Math.floorDiv(now - nanosAgo, width);
                int slice = (int) Math.min(age, SLICES - 1);
                long count = count(state, slice) + permits;
                fits[0] &= count <= maxCount;
                set(state, slice, Math.min(count, maxCount));
            });
        }
        return fits[0];
    }

    private long count(long[] state, int slice) {
        return (state[1 + slice / countsPerLong] >>> (slice % countsPerLong * bits)) & maxCount;
    }

    private void set(long[] state, int slice, long count) {
        state[1 + slice / countsPerLong] += (count - count(state, slice)) << (slice % countsPerLong * bits);
    }

    @Override
    public PartStrategy read(long[] state, PartStrategy fresh) {
        SlidingStrategy window = (SlidingStrategy) IndebtedRate.inner(fresh);
        long reading = ticker.read();
        long now = reading - began;
        synchronized (window) {
            long elapsedTime = window.moveTo(reading);
            window.align(elapsedTime, now);
            for (int slice = SLICES - 1; slice >= 0; slice--) {
                long count = count(state, slice);
                long nanosAgo = Math.max(0, now - endOf(state[0] - slice));
                if (count > 0 && nanosAgo < SLICES * width) {
                    window.use(elapsedTime, nanosAgo, count);
                }
            }
        }
        return fresh;
    }

    private long endOf(long slice) {
        return (slice + 1) * width - 1;
    }

    @Override
    public boolean isFree(long[] state) {
        long now = now();
        for (int slice = 0; slice < SLICES; slice++) {
            if (count(state, slice) > 0 && now - endOf(state[0] - slice) < (SLICES - 1) * width) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void stricter(long[] state, long[] other) {
        combine(state, other, false);
    }

    @Override
    public void looser(long[] state, long[] other) {
        combine(state, other, true);
    }

    private void combine(long[] state, long[] other, boolean smaller) {
        boolean free = isFree(state);
        if (free || isFree(other)) {
            if (free != smaller) {
                System.arraycopy(other, 0, state, 0, state.length);
            }
            return;
        }
        toPresent(state);
        toPresent(other);
        long newest = Math.max(state[0], other[0]);
        for (int slice = SLICES - 1; slice >= 0; slice--) {
            long count = countAt(state, newest - slice);
            long others = countAt(other, newest - slice);
            set(state, slice, smaller ? Math.min(count, others) : Math.max(count, others));
        }
        state[0] = newest;
    }

    /* If the clock ran back, what was used in the future counts as used now. */
    private void toPresent(long[] state) {
        long newest = Math.floorDiv(now(), width);
        long ahead = state[0] - newest;
        if (ahead <= 0) {
            return;
        }
        long[] from = state.clone();
        long sum = 0;
        for (int slice = 0; slice < SLICES; slice++) {
            sum += slice <= ahead ? count(from, slice) : 0;
            set(state, slice, countAt(from, newest - slice));
        }
        set(state, 0, Math.min(sum, maxCount));
        state[0] = newest;
    }

    private long countAt(long[] state, long slice) {
        long place = state[0] - slice;
        return place < 0 || place >= SLICES ? 0 : count(state, (int) place);
    }
}
