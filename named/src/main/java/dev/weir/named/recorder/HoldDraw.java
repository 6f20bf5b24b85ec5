package dev.weir.named.recorder;

import java.util.SplittableRandom;

/** Draws hold times from the sample that is near in time. Asked for slices in ascending order, by one thread. */
final class HoldDraw {
    /** How far the sample reaches on each side. */
    private static final long NEAR_NANOS = 250_000_000;

    /*
     * With fewer, those that are next to them count as near, too: the mean of few varies with time where that of all does not, and a
     * limit refuses more or fewer of requests that vary.
     */
    private static final int ENOUGH = 64;

    private final RecordedLoad load;
    private final int reach;
    private int slice = Integer.MIN_VALUE;
    /* Those near to the slice: from `low` to before `high`. */
    private int low;
    private int high;
    private int first;
    private int end;

    HoldDraw(RecordedLoad load) {
        this.load = load;
        reach = (int) Math.min(Integer.MAX_VALUE / 4, Math.max(1, NEAR_NANOS / load.sliceNanos()));
    }

    /** One of the hold times near to this slice; 0 if there is none at all. */
    long near(int at, SplittableRandom random) {
        long[] nanos = load.holdNanos();
        if (nanos.length == 0) {
            return 0;
        }
        if (at != slice) {
            slice = at;
            move(load.holdSlices());
        }
        return nanos[random.nextInt(low, high)];
    }

    private void move(int[] slices) {
        while (first < slices.length && slices[first] < slice - reach) {
            first++;
        }
        while (end < slices.length && slices[end] <= slice + reach) {
            end++;
        }
        low = first;
        high = end;
        while (high - low < Math.min(ENOUGH, slices.length)) {
            boolean earlier = low > 0 && (high == slices.length || slice - slices[low - 1] <= slices[high] - slice);
            if (earlier) {
                low--;
            } else {
                high++;
            }
        }
    }
}
