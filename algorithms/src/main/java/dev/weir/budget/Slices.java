package dev.weir.budget;

import dev.weir.Ticker;
import dev.weir.internal.Require;
import java.time.Duration;
import java.util.Arrays;

/** The last period in slices of equal length, of which the oldest ends as a whole. Guarded by the owner's lock. */
final class Slices {
    /*
     * Time is the sum of the forward steps of the ticker, so it stands still while the ticker runs back. The ticker is read under
     * the owner's lock: no reading is older than the one before, unless the ticker ran back.
     *
     * The slices are numbered; slice n is at index n % COUNT of what the owner counts. An owner that meets another period keeps
     * what it counted, all of it in the newest slice: it is forgotten no earlier than before, and at most one new period later.
     */
    static final int COUNT = 10;

    private static final long MAX_STEP = 1L << 62;
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofHours(1);

    private final Ticker ticker;
    private final long[][] counted;
    private long sliceNanos;
    private long last;
    private long now;
    private long begun;
    private int newest;

    /** Slices that count so many things. */
    Slices(Ticker ticker, Duration period, int things) {
        this.ticker = ticker;
        this.counted = new long[things][COUNT];
        this.sliceNanos = period.toNanos() / COUNT;
        this.last = ticker.read();
    }

    /** Throws an {@code IllegalArgumentException} if a period is not 1 s to 1 h. */
    static void check(String name, Duration period) {
        boolean isWithin = period.compareTo(SHORTEST) >= 0 && period.compareTo(LONGEST) <= 0;
        Require.that(isWithin, name + " must be >= " + SHORTEST + " and <= " + LONGEST, period);
    }

    /** Counts in slices of another period from now on, without forgetting anything now. */
    void periodIs(Duration period) {
        long nanos = period.toNanos() / COUNT;
        if (nanos == sliceNanos) {
            return;
        }
        for (long[] thing : counted) {
            long all = sum(thing);
            Arrays.fill(thing, 0);
            thing[newest] = all;
        }
        sliceNanos = nanos;
        begun = now;
    }

    /** Reads the time and ends the slices that are over; the nanoseconds that passed since the last call. */
    long advance() {
        long reading = ticker.read();
        long step = Math.min(Math.max(0, reading - last), MAX_STEP);
        last = reading;
        now += step;
        long over = (now - begun) / sliceNanos;
        begun += over * sliceNanos;
        for (long i = 0; i < Math.min(over, COUNT); i++) {
            newest = (newest + 1) % COUNT;
            for (long[] thing : counted) {
                thing[newest] = 0;
            }
        }
        return step;
    }

    /** The nanoseconds until the next slice begins, at least 1. */
    long untilNext() {
        return sliceNanos - (now - begun);
    }

    /** Adds to the newest slice; saturates. */
    void add(int thing, long amount) {
        long[] slices = counted[thing];
        slices[newest] = Math.min(slices[newest] + amount, Long.MAX_VALUE / (2 * COUNT));
    }

    /** Takes as much of this amount as there is, from the oldest slices first; what there was not. */
    long take(int thing, long amount) {
        long[] slices = counted[thing];
        long missing = amount;
        for (int i = 1; i <= COUNT && missing > 0; i++) {
            int slice = (newest + i) % COUNT;
            long taken = Math.min(slices[slice], missing);
            slices[slice] -= taken;
            missing -= taken;
        }
        return missing;
    }

    long sum(int thing) {
        return sum(counted[thing]);
    }

    private static long sum(long[] slices) {
        long sum = 0;
        for (long amount : slices) {
            sum += amount;
        }
        return sum;
    }
}
