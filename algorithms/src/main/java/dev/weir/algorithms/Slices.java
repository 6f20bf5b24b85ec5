package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.spi.EvictedState;
import dev.weir.spi.Strategy;
import dev.weir.succession.Succession;

/** The state of an evicted window of time: what was used in each of 14 slices of it, as if used at the slice's end. */
final class Slices implements EvictedState {
    /*
     * Slices are the same for all keys, so that two states are combined slice by slice, and a state that is written,
     * read and written again is the same. Slice k is [k * width, (k + 1) * width) since the beginning; 13 of them are at
     * least as long as the period, so with the present one, in part, 14 hold all that counts.
     *
     *     state[0]        k of the newest slice
     *     state[1], ...   the counts, the newest first, as many to a long as fit
     */
    static final int KEPT = 14;

    private final Ticker ticker;
    private final long began;
    private final long width;
    private final long most;
    private final int bits;
    private final int inLong;

    /** A strategy whose use is known by the time at which it was made. */
    interface Window extends Strategy {
        /** Tells all that counts now, as if it had been used at the latest when it may have been. */
        void each(Use to);

        /** Whether all that counts was used by the present limit; else it {@linkplain #used() has used} all of it. */
        boolean isOfOneLimit();

        /** Lets blocks of time, if it counts by such, begin at multiples of their width: now it is this late. */
        default void align(long now) {}

        /** Counts so many permits as used so many nanoseconds ago. Older ones come first. */
        void use(long nanosAgo, long permits);
    }

    /** Permits that were used so many nanoseconds ago. */
    interface Use {
        void of(long nanosAgo, long permits);
    }

    /** Slices so wide that 13 of them are no shorter than the period, of windows with at most this limit. */
    Slices(Ticker ticker, long width, long limit) {
        this.ticker = ticker;
        this.began = ticker.read();
        this.width = width;
        this.bits = Math.max(9, 64 - Long.numberOfLeadingZeros(limit));
        this.most = (1L << bits) - 1;
        this.inLong = 63 / bits;
    }

    @Override
    public int longs() {
        return 1 + (KEPT + inLong - 1) / inLong;
    }

    private long now() {
        return ticker.read() - began;
    }

    @Override
    public boolean write(Strategy evicted, long[] state) {
        long now = now();
        boolean[] fits = {((Window) evicted).isOfOneLimit()};
        state[0] = Math.floorDiv(now, width);
        ((Window) evicted).each((nanosAgo, permits) -> {
            long age = state[0] - Math.floorDiv(now - nanosAgo, width);
            int place = (int) Math.min(age, KEPT - 1);
            long count = count(state, place) + permits;
            fits[0] &= count <= most;
            set(state, place, Math.min(count, most));
        });
        return fits[0];
    }

    private long count(long[] state, int place) {
        return (state[1 + place / inLong] >>> (place % inLong * bits)) & most;
    }

    private void set(long[] state, int place, long count) {
        state[1 + place / inLong] += (count - count(state, place)) << (place % inLong * bits);
    }

    @Override
    public Strategy read(long[] state, Strategy fresh) {
        long now = now();
        Window window = (Window) Succession.withoutDebt(fresh);
        window.align(now);
        for (int place = KEPT - 1; place >= 0; place--) {
            long count = count(state, place);
            long nanosAgo = Math.max(0, now - lastOf(state[0] - place));
            if (count > 0 && nanosAgo < KEPT * width) {
                window.use(nanosAgo, count);
            }
        }
        return fresh;
    }

    private long lastOf(long slice) {
        return (slice + 1) * width - 1;
    }

    @Override
    public boolean isFree(long[] state) {
        long now = now();
        for (int place = 0; place < KEPT; place++) {
            if (count(state, place) > 0 && now - lastOf(state[0] - place) < (KEPT - 1) * width) {
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

    private void combine(long[] state, long[] other, boolean least) {
        boolean free = isFree(state);
        if (free || isFree(other)) {
            if (free != least) {
                System.arraycopy(other, 0, state, 0, state.length);
            }
            return;
        }
        comeBack(state);
        comeBack(other);
        long newest = Math.max(state[0], other[0]);
        for (int place = KEPT - 1; place >= 0; place--) {
            long count = countAt(state, newest - place);
            long others = countAt(other, newest - place);
            set(state, place, least ? Math.min(count, others) : Math.max(count, others));
        }
        state[0] = newest;
    }

    /* What was used ahead of a clock that ran back counts as used now. */
    private void comeBack(long[] state) {
        long newest = Math.floorDiv(now(), width);
        long ahead = state[0] - newest;
        if (ahead <= 0) {
            return;
        }
        long[] from = state.clone();
        long sum = 0;
        for (int place = 0; place < KEPT; place++) {
            sum += place <= ahead ? count(from, place) : 0;
            set(state, place, countAt(from, newest - place));
        }
        set(state, 0, Math.min(sum, most));
        state[0] = newest;
    }

    private long countAt(long[] state, long slice) {
        long place = state[0] - slice;
        return place < 0 || place >= KEPT ? 0 : count(state, (int) place);
    }
}
