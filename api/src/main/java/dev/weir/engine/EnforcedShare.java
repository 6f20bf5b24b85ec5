package dev.weir.engine;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A selector of the requests over a limit that are let through while the limit is enforced in part. Thread-safe. */
final class EnforcedShare {
    private final AtomicLong overLimit = new AtomicLong();

    /** True if a refused request is let through: its threshold, which it keeps while it waits, is not below the enforced share. */
    boolean letsThrough(double enforced, @Nullable RequestData requestData) {
        if (enforced >= 1) {
            return false;
        }
        long threshold = requestData == null ? nextThreshold() : requestData.threshold(this::nextThreshold);
        return threshold >= (long) (enforced * 0x1p32);
    }

    /* Multiples of the golden ratio are spread evenly, so every share is exact over a few requests, without randomness. */
    private long nextThreshold() {
        return overLimit.getAndIncrement() * 0x9E3779B9L & 0xFFFF_FFFFL;
    }
}
