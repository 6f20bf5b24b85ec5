package dev.weir.engine;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The data that a limiter keeps of a request that waits in a queue. Thread-safe. */
final class RequestData {
    /** The stack of the caller, if the permit is to be tracked. */
    final @Nullable Throwable acquiredAt;

    final String thread = Thread.currentThread().getName();
    private long point = -1;

    RequestData(@Nullable Throwable acquiredAt) {
        this.acquiredAt = acquiredAt;
    }

    /** The enforced share above which the limit is enforced for this request: drawn once, when it is first needed. */
    synchronized long point(LongSupplier drawn) {
        if (point < 0) {
            point = drawn.getAsLong();
        }
        return point;
    }
}
