package dev.weir.engine;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Chooses the refusals that are let through where a limit is enforced in part. Thread-safe. */
final class EnforcedShare {
    private final AtomicLong overLimit = new AtomicLong();

    /** Whether a request that was refused passes. One that waits keeps its point: only a smaller share lets it through. */
    boolean letsThrough(double enforced, @Nullable Arrival arrival) {
        if (enforced >= 1) {
            return false;
        }
        long point = arrival == null ? point() : arrival.point(this::point);
        return point >= (long) (enforced * 0x1p32);
    }

    /* The golden ratio spreads the refusals that are let through evenly, at any share and without a draw. */
    private long point() {
        return overLimit.getAndIncrement() * 0x9E3779B9L & 0xFFFF_FFFFL;
    }
}
