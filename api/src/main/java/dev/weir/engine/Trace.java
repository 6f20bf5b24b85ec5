package dev.weir.engine;

import org.jspecify.annotations.Nullable;

/** What is remembered of a permit beyond what it holds. */
final class Trace {
    final @Nullable Watch watch;
    final long grantedAt;
    final boolean timed;

    /** Set once the permit is tracked; its first frames are the engine's. */
    @Nullable
    Throwable acquiredAt;

    @Nullable
    String thread;

    Trace(@Nullable Watch watch, long grantedAt, boolean timed) {
        this.watch = watch;
        this.grantedAt = grantedAt;
        this.timed = timed;
    }
}
