package dev.weir.store;

import dev.weir.store.internal.DelayLine;
import java.util.concurrent.atomic.AtomicLong;

/** Permits that were taken from the store together, and are granted one after the other. Thread-safe. */
final class Batch implements DelayLine.Item {
    final Batches batches;
    final long permits;
    private final long takenAt;
    private final long expiry;
    /* Each permit is taken once, by CAS. */
    private final AtomicLong left;

    Batch(Batches batches, long permits, long takenAt, long expiry) {
        this.batches = batches;
        this.permits = permits;
        this.takenAt = takenAt;
        this.expiry = expiry;
        this.left = new AtomicLong(permits);
    }

    /** The number of permits that can be granted now. */
    long left(long now) {
        return now - takenAt < expiry ? left.get() : 0;
    }

    /** Takes permits, all or none; -1 if none, otherwise how many are left. */
    long take(long wanted, long now) {
        if (now - takenAt >= expiry) {
            return -1;
        }
        long before = left.get();
        while (before >= wanted) {
            if (left.compareAndSet(before, before - wanted)) {
                return before - wanted;
            }
            before = left.get();
        }
        return -1;
    }

    /** Adds permits, if some are left: what is used up is not returned when it expires. Returns whether it has. */
    boolean putBack(long permits) {
        return left.getAndUpdate(before -> before > 0 ? before + permits : 0) > 0;
    }

    /** Takes as many permits as there are, at most so many. */
    long takeUpTo(long most) {
        return Math.min(most, left.getAndUpdate(before -> before - Math.min(before, most)));
    }

    @Override
    public boolean isDone() {
        return left.get() == 0;
    }

    @Override
    public long since() {
        return takenAt;
    }
}
