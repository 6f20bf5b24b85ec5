package dev.weir.engine;

import org.jspecify.annotations.Nullable;

/** Data of one permit, kept only where an observer, the tracker or a refund needs it. */
final class Trace {
    final @Nullable Watch watch;
    final long grantedAt;
    final boolean timed;

    /** Whether {@code CANCELLED} gives back what a rate spent. */
    final boolean refundable;

    /** Set once the permit is tracked; its first frames are the engine's. */
    @Nullable
    Throwable acquiredAt;

    @Nullable
    String thread;

    Trace(@Nullable Watch watch, long grantedAt, boolean timed, boolean refundable) {
        this.watch = watch;
        this.grantedAt = grantedAt;
        this.timed = timed;
        this.refundable = refundable;
    }
}
