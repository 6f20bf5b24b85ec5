package dev.weir.config.source;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/** The fields that the threads of a {@link SourceLoop} share. Guarded by the monitor of this object. */
final class LoopState {
    @GuardedBy("this")
    final SourceHealth health;

    @GuardedBy("this")
    boolean started;

    @GuardedBy("this")
    boolean closed;

    /** Whether a task of the loop runs, or is about to. */
    @GuardedBy("this")
    boolean busy;

    /** Whether the task looks again before it ends. */
    @GuardedBy("this")
    boolean poked;

    /** Whether the next reading is made as soon as possible. */
    @GuardedBy("this")
    boolean wanted = true;

    /** Whether the listener is told of the next reading even if it is the same as before. */
    @GuardedBy("this")
    boolean repeated;

    /** Whether the alarm reports a call that takes too long. */
    @GuardedBy("this")
    boolean reporting;

    /** Whether the task has ended with a result and waits for that report. */
    @GuardedBy("this")
    boolean parked;

    @GuardedBy("this")
    long calls;

    /** The thread that is in a call. */
    @GuardedBy("this")
    @Nullable
    Thread caller;

    LoopState(SourceHealth health) {
        this.health = health;
    }
}
