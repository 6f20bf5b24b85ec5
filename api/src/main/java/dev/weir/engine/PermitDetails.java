package dev.weir.engine;

import org.jspecify.annotations.Nullable;

/** Data of one permit, kept only if an observer, the leak report or a refund needs it. */
final class PermitDetails {
    final Instrumentation instrumentation;
    final long grantedAt;

    /** True if an observer is told for how long the permit was held. */
    final boolean timed;

    final boolean refundable;

    @Nullable
    Track track;

    /** The stack and the thread with which a tracked permit was acquired; a later permit has a larger number. */
    record Track(long number, Throwable acquiredAt, String thread) {}

    PermitDetails(Instrumentation instrumentation, long grantedAt, boolean timed, boolean refundable) {
        this.instrumentation = instrumentation;
        this.grantedAt = grantedAt;
        this.timed = timed;
        this.refundable = refundable;
    }
}
