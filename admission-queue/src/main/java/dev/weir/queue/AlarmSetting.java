package dev.weir.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.spi.Registration;
import org.jspecify.annotations.Nullable;

/** One setting of a queue's alarm. Thread-safe. */
final class AlarmSetting {
    /** When it is due, in the queue's time. */
    final long at;
    /** The delay in nanoseconds. */
    final long delay;

    @GuardedBy("this")
    private @Nullable AlarmSetting before;

    @GuardedBy("this")
    private @Nullable Registration set;

    @GuardedBy("this")
    private boolean cancelled;

    /** Replaces the setting before, if there is one. */
    AlarmSetting(long at, long delay, @Nullable AlarmSetting before) {
        this.at = at;
        this.delay = delay;
        this.before = before;
    }

    /** The alarm was set: cancels the setting before, and this one if it was cancelled meanwhile. */
    void wasSet(Registration registration) {
        AlarmSetting replaced;
        boolean tooLate;
        synchronized (this) {
            replaced = before;
            before = null;
            set = registration;
            tooLate = cancelled;
        }
        if (replaced != null) {
            replaced.cancel();
        }
        if (tooLate) {
            close(registration);
        }
    }

    void cancel() {
        Registration pending;
        synchronized (this) {
            cancelled = true;
            pending = set;
        }
        if (pending != null) {
            close(pending);
        }
    }

    private static void close(Registration registration) {
        try {
            registration.close();
        } catch (Throwable ignored) {
            // An alarm that cannot be cancelled finds nothing to do.
        }
    }
}
