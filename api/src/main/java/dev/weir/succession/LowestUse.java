package dev.weir.succession;

import java.util.Arrays;

/**
 * The least that was missing from a bucket since any earlier reading: so much of a grant at that reading can be refunded, and no
 * more, because a bucket without that grant would have been full when only that was missing. Guarded by the lock of its owner.
 */
final class LowestUse {
    /*
     * What is missing shrinks between grants, so its minima are just before grants. Of those, only the ones with none lower after
     * them are kept, each with its reading:
     *
     *     missing   |\                        |
     *               | \      |\       |\      |
     *               |  \  |\ | \    b | \     |
     *               |   \ | \|  \  |\ |  \    now
     *               |    a|      \ | \|
     *               +-------------c--------------> time      kept: c, b; a is over
     *
     * A refund makes all that is kept since its grant lower by as much as it returns: the bucket without that grant had so much
     * less missing. Minima that are close to each other are one, the lower, at the later reading: what is told is never too much,
     * and at most a fifth too little.
     */
    private static final int MAX = 32;

    private long[] readings = new long[4];
    private long[] minima = new long[4];
    private int size;

    /** This was missing at this reading, before something was granted or charged. */
    void add(long missing, long now) {
        if (size > 0 && now - readings[size - 1] < 0) {
            forget(now); // the clock ran back
            return;
        }
        while (size > 0 && minima[size - 1] >= missing) {
            size--;
        }
        if (size > 0 && (size == MAX || missing - minima[size - 1] <= minima[size - 1] / 4)) {
            readings[size - 1] = now;
            return;
        }
        if (size == readings.length) {
            readings = Arrays.copyOf(readings, 2 * size);
            minima = Arrays.copyOf(minima, 2 * size);
        }
        readings[size] = now;
        minima[size] = missing;
        size++;
    }

    /** Nothing is known of grants until now. */
    void forget(long now) {
        readings[0] = now;
        minima[0] = 0;
        size = 1;
    }

    /** The least that was missing since a grant at this reading, of which this is missing now. */
    long since(long grantedAt, long missing) {
        int first = firstAfter(grantedAt);
        return first == size ? missing : Math.min(missing, minima[first]);
    }

    private int firstAfter(long reading) {
        int first = size;
        while (first > 0 && readings[first - 1] - reading > 0) {
            first--;
        }
        return first;
    }

    /** Permits of a grant at this reading were refunded; without them, this is missing now. */
    void refunded(long permits, long grantedAt, long missing) {
        int first = firstAfter(grantedAt);
        for (int i = first; i < size; i++) {
            minima[i] = Math.max(0, minima[i] - permits);
        }
        long lowest = first == size ? missing : Math.min(missing, minima[first]);
        int kept = first;
        while (kept > 0 && minima[kept - 1] >= lowest) {
            kept--;
        }
        System.arraycopy(readings, first, readings, kept, size - first);
        System.arraycopy(minima, first, minima, kept, size - first);
        size -= first - kept;
    }
}
