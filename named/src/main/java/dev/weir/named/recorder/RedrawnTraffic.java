package dev.weir.named.recorder;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Requests as they may have been, drawn from what was recorded: as many in each slice, held as long as others near in time, by
 * the keys of that time. The same seed draws the same.
 */
final class RedrawnTraffic implements Replay.Traffic {
    /** The requests of a slice are within this part of it, if they are close. */
    private static final int CLOSE = 4;

    enum Placement {
        /** Anywhere, each for itself. */
        RANDOM,
        /** At equal distances. */
        EVEN,
        /** Within a quarter of it, somewhere. */
        CLOSE
    }

    private final RecordedLoad load;
    private final Placement placement;
    private final SplittableRandom random;
    private final HoldDraw holds;
    private final @Nullable KeyDraw keys;
    private int slice = -1;
    private long[] offsets = new long[0];
    private int placed;
    private int read = -1;

    RedrawnTraffic(RecordedLoad load, Placement placement, long seed) {
        this.load = load;
        this.placement = placement;
        random = new SplittableRandom(seed);
        holds = new HoldDraw();
        keys = load.keys().isEmpty() ? null : new KeyDraw(load);
    }

    @Override
    public boolean next() {
        read++;
        while (read >= placed) {
            slice++;
            if (slice >= load.arrivals().length) {
                return false;
            }
            place(load.arrivals()[slice]);
            read = 0;
        }
        return true;
    }

    private void place(int count) {
        placed = Math.max(0, count);
        if (offsets.length < placed) {
            offsets = new long[2 * placed];
        }
        long width = load.sliceNanos();
        switch (placement) {
            case EVEN -> {
                for (int i = 0; i < placed; i++) {
                    offsets[i] = (2L * i + 1) * width / (2L * placed);
                }
            }
            case RANDOM -> scatter(0, width);
            case CLOSE -> {
                long part = Math.max(1, width / CLOSE);
                scatter(random.nextLong(width - part + 1), part);
            }
        }
    }

    private void scatter(long from, long width) {
        for (int i = 0; i < placed; i++) {
            offsets[i] = from + random.nextLong(width);
        }
        Arrays.sort(offsets, 0, placed);
    }

    @Override
    public long at() {
        return slice * load.sliceNanos() + offsets[read];
    }

    @Override
    public long holdNanos() {
        return holds.near(slice, random);
    }

    @Override
    public @Nullable String key() {
        return keys == null ? null : keys.at(slice, random);
    }

    /** Draws hold times from the sample that is near in time. Asked for slices in ascending order, by one thread. */
    private final class HoldDraw {
        /** The reach of the sample on each side. */
        private static final long NEAR_NANOS = 250_000_000;

        /*
         * With fewer, those that are next to them count as near, too: the mean of few varies with time where that of all does not, and a
         * limit refuses more or fewer of requests that vary.
         */
        private static final int ENOUGH = 64;

        private final int reach = (int) Math.min(Integer.MAX_VALUE / 4, Math.max(1, NEAR_NANOS / load.sliceNanos()));
        private int near = Integer.MIN_VALUE;
        /* Those near to the slice: from `low` to before `high`. */
        private int low;
        private int high;
        private int first;
        private int end;

        /** One of the hold times near to this slice; 0 if there is none at all. */
        long near(int at, SplittableRandom random) {
            long[] nanos = load.holdNanos();
            if (nanos.length == 0) {
                return 0;
            }
            if (at != near) {
                near = at;
                move(load.holdSlices());
            }
            return nanos[random.nextInt(low, high)];
        }

        private void move(int[] slices) {
            while (first < slices.length && slices[first] < near - reach) {
                first++;
            }
            while (end < slices.length && slices[end] <= near + reach) {
                end++;
            }
            low = first;
            high = end;
            while (high - low < Math.min(ENOUGH, slices.length)) {
                boolean earlier = low > 0 && (high == slices.length || near - slices[low - 1] <= slices[high] - near);
                if (earlier) {
                    low--;
                } else {
                    high++;
                }
            }
        }
    }
}
