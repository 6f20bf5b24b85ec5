package dev.weir.engine;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What a limiter keeps of a request that waits before it. Used by one thread at a time. */
final class Arrival {
    /** The stack of the request, if its permit is to be tracked. */
    final @Nullable Throwable acquiredAt;

    final String thread = Thread.currentThread().getName();
    private @Nullable Boolean passes;

    Arrival(@Nullable Throwable acquiredAt) {
        this.acquiredAt = acquiredAt;
    }

    /** Whether it is let through where the limit is not enforced: decided at its first refusal. */
    boolean passes(BooleanSupplier verdict) {
        Boolean known = passes;
        if (known == null) {
            known = verdict.getAsBoolean();
            passes = known;
        }
        return known;
    }
}
