package dev.weir.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The data that a limiter keeps of a request that waits in a queue. Thread-safe. */
final class RequestData {
    /** The stack of the caller, if the permit is to be tracked. */
    final @Nullable Throwable acquiredAt;

    final String thread = Thread.currentThread().getName();

    @GuardedBy("this")
    private long threshold = -1;

    RequestData(@Nullable Throwable acquiredAt) {
        this.acquiredAt = acquiredAt;
    }

    /** The enforced share, of 2^32, above which the limit is enforced for this request: set once, when it is first needed. */
    synchronized long threshold(LongSupplier next) {
        if (threshold < 0) {
            threshold = next.getAsLong();
        }
        return threshold;
    }
}
