package dev.weir.named.recorder;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A sample of the times of one second: a histogram, and some of the times with their slice. Thread-safe; never blocks for longer
 * than a few instructions.
 */
final class Sample {
    /*
     * So few are taken between two refills that the monitor is not contended, and so few are chosen that those which are refused, or
     * never released, cost nothing either, however many requests there are. Two threads may take the same place: then there is one
     * more.
     */

    /** The number of times taken between two refills, which are 40 ms apart. */
    static final int MOST = 128;

    private static final int MOST_CHOSEN = 4 * MOST;
    private static final int KEPT = 8;

    private final int kept;
    private volatile int room = MOST;
    private volatile int choices = MOST_CHOSEN;

    @GuardedBy("this")
    private int taken;

    /* Null if nothing was taken for a second. */
    @GuardedBy("this")
    private int @Nullable [] counts;

    @GuardedBy("this")
    private long @Nullable [] times;

    /** An empty sample; with {@code keeps}, of some of the times, too, besides the histogram. */
    Sample(boolean keeps) {
        this.kept = keeps ? KEPT : 0;
    }

    /** True if the next time should be measured: one in 16, until enough have been chosen since the last refill. */
    boolean chooses() {
        int left = choices;
        if (left <= 0 || (ThreadLocalRandom.current().nextInt() & 15) != 0) {
            return false;
        }
        choices = left - 1;
        return true;
    }

    boolean hasRoom() {
        return room > 0;
    }

    /** Takes a time if there is room, which began in this slice. */
    void add(long nanos, long slice) {
        int left = room;
        if (left > 0) {
            room = left - 1;
            take(nanos, slice);
        }
    }

    private synchronized void take(long nanos, long slice) {
        if (counts == null || times == null) {
            counts = new int[Histogram.SIZE];
            times = new long[2 * kept];
        }
        counts[Histogram.bucketOf(nanos)]++;
        int place = taken < kept ? taken : ThreadLocalRandom.current().nextInt(taken + 1);
        if (place < kept) {
            times[2 * place] = nanos;
            times[2 * place + 1] = slice;
        }
        taken++;
    }

    void refill() {
        if (room < MOST) {
            room = MOST;
        }
        if (choices < MOST_CHOSEN) {
            choices = MOST_CHOSEN;
        }
    }

    synchronized void clear() {
        counts = null;
        times = null;
        taken = 0;
    }

    /** Puts the histogram, then the times that are kept, and begins again. Slices are counted back from this one. */
    synchronized void packInto(Packed packing, long end) {
        if (counts == null || times == null) {
            packing.put(0).put(0);
            return;
        }
        packing.put(Arrays.stream(counts).filter(count -> count > 0).count());
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                packing.put(i).put(counts[i]);
            }
        }
        int many = Math.min(taken, kept);
        packing.put(many);
        for (int i = 0; i < many; i++) {
            packing.put(times[2 * i]).put(end - times[2 * i + 1]);
        }
        if (taken == 0) {
            counts = null;
            times = null;
        } else {
            Arrays.fill(counts, 0);
            taken = 0;
        }
    }
}
