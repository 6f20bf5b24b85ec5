package dev.weir.engine;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Chooses which requests over a limit are let through if the limit is enforced in part. Thread-safe. */
final class EnforcedShare {
    private final AtomicLong overLimit = new AtomicLong();

    /** Whether a refused request is let through. A waiting request keeps its point: only a smaller share lets it through. */
    boolean letsThrough(double enforced, @Nullable RequestData requestData) {
        if (enforced >= 1) {
            return false;
        }
        long point = requestData == null ? point() : requestData.point(this::point);
        return point >= (long) (enforced * 0x1p32);
    }

    /* Multiples of the golden ratio are spread evenly, so every share is exact over a few requests, without randomness. */
    private long point() {
        return overLimit.getAndIncrement() * 0x9E3779B9L & 0xFFFF_FFFFL;
    }
}
