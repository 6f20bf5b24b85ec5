package dev.weir.config.source;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The last status that this instance has to report to a source, and the time of the next attempt. Thread-safe. */
final class Acknowledgement {
    private final boolean supported;
    private final RetryDelay retryDelay;

    @GuardedBy("this")
    private @Nullable InstanceStatus last;

    @GuardedBy("this")
    private @Nullable InstanceStatus pending;

    @GuardedBy("this")
    private long due;

    Acknowledgement(boolean supported, RetryDelay retryDelay) {
        this.supported = supported;
        this.retryDelay = retryDelay;
    }

    synchronized void set(InstanceStatus status) {
        Objects.requireNonNull(status, "status");
        if (supported) {
            last = status;
            pending = status;
        }
    }

    /** Has the last one written again. */
    synchronized void repeat() {
        pending = last;
    }

    /** What is to be written now; null if nothing is. */
    synchronized @Nullable InstanceStatus take(long now) {
        if (delay(now) > 0) {
            return null;
        }
        InstanceStatus taken = pending;
        pending = null;
        return taken;
    }

    synchronized void ended(InstanceStatus status, boolean written, long now) {
        if (written) {
            retryDelay.reset();
            return;
        }
        due = now + retryDelay.next();
        if (pending == null) {
            pending = status;
        }
    }

    /** Nanoseconds until something is to be written; the largest number if nothing is. */
    synchronized long delay(long now) {
        if (pending == null) {
            return Long.MAX_VALUE;
        }
        return retryDelay.isFailing() ? due - now : 0;
    }
}
