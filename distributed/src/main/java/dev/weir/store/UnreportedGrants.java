package dev.weir.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The permits of one key that were granted here, and of which the store knows nothing. Those that this instance granted from its
 * part are dropped when they are old: the store would have refilled them meanwhile. Thread-safe.
 */
final class UnreportedGrants {
    private static final int SLOTS = 8;

    final @Nullable Object key;
    private final long slotNanos;
    private final long origin;

    @GuardedBy("this")
    private final long[] permits = new long[SLOTS + 1];

    @GuardedBy("this")
    private long newest;

    @GuardedBy("this")
    private long kept;

    @GuardedBy("this")
    private boolean taken;

    /**
     * @param horizon after how many nanoseconds a permit is dropped, or up to an eighth later; {@code Long.MAX_VALUE} = never
     */
    UnreportedGrants(@Nullable Object key, long horizon, long now) {
        this.key = key;
        this.slotNanos = horizon == Long.MAX_VALUE ? horizon : Math.max(1, (horizon - 1) / SLOTS + 1);
        this.origin = now;
    }

    /** False if they were taken already. */
    synchronized boolean add(long now, long more) {
        if (!taken) {
            permits[(int) (moveTo(now) % permits.length)] += more;
        }
        return !taken;
    }

    /** Adds permits that are never dropped; false if they were taken already. */
    synchronized boolean keep(long more) {
        kept += taken ? 0 : more;
        return !taken;
    }

    /** Removes at most so many, the newest first; how many. None if they were taken already. */
    synchronized long takeBack(long now, long most) {
        long removed = 0;
        long slot = taken ? -1 : moveTo(now);
        for (long i = slot; i >= 0 && i > slot - permits.length; i--) {
            int index = (int) (i % permits.length);
            long part = Math.min(permits[index], most - removed);
            permits[index] -= part;
            removed += part;
        }
        return removed;
    }

    /** Takes all of them, once. */
    synchronized long take(long now) {
        if (taken) {
            return 0;
        }
        taken = true;
        moveTo(now);
        return kept + LongStream.of(permits).sum();
    }

    /** Ends it if there is nothing: true then, and from now on nothing is added. */
    synchronized boolean endsIfEmpty(long now) {
        if (!taken) {
            moveTo(now);
            taken = kept + LongStream.of(permits).sum() == 0;
        }
        return taken;
    }

    @GuardedBy("this")
    private long moveTo(long now) {
        long slot = Math.max(newest, (now - origin) / slotNanos);
        long cleared = Math.min(slot - newest, permits.length);
        for (long i = 1; i <= cleared; i++) {
            permits[(int) ((newest + i) % permits.length)] = 0;
        }
        newest = slot;
        return slot;
    }
}
