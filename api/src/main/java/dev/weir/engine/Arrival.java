package dev.weir.engine;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What a limiter keeps of a request that waits before it. Thread-safe. */
final class Arrival {
    /** The stack of the request, if its permit is to be tracked. */
    final @Nullable Throwable acquiredAt;

    final String thread = Thread.currentThread().getName();
    private long point = -1;

    Arrival(@Nullable Throwable acquiredAt) {
        this.acquiredAt = acquiredAt;
    }

    /** From which share on the limit is enforced for it: drawn when it is first judged. */
    synchronized long point(LongSupplier drawn) {
        if (point < 0) {
            point = drawn.getAsLong();
        }
        return point;
    }
}
