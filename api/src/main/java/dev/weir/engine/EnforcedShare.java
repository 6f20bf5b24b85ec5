package dev.weir.engine;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Chooses the refusals that are let through where a limit is enforced in part. Thread-safe. */
final class EnforcedShare {
    private final AtomicLong overLimit = new AtomicLong();

    /** Whether a request that was refused passes. One that waits is judged once. */
    boolean letsThrough(double enforced, @Nullable Arrival arrival) {
        if (enforced >= 1) {
            return false;
        }
        return arrival == null ? isOver(enforced) : arrival.passes(() -> isOver(enforced));
    }

    /* The golden ratio spreads the refusals that are let through evenly, at any share and without a draw. */
    private boolean isOver(double enforced) {
        long point = overLimit.getAndIncrement() * 0x9E3779B9L & 0xFFFF_FFFFL;
        return point >= (long) (enforced * 0x1p32);
    }
}
