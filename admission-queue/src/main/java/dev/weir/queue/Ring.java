package dev.weir.queue;

import dev.weir.spi.Registration;
import org.jspecify.annotations.Nullable;

/** One setting of a queue's alarm. Thread-safe. */
final class Ring {
    /** When it rings, by the queue's time. */
    final long at;
    /** In how many nanoseconds. */
    final long wait;

    private @Nullable Ring before;
    private @Nullable Registration set;
    private boolean cancelled;

    /** A setting that replaces the one before, if there is one. */
    Ring(long at, long wait, @Nullable Ring before) {
        this.at = at;
        this.wait = wait;
        this.before = before;
    }

    /** The alarm was set: cancels the setting before, and this one if it was replaced meanwhile. */
    void isSet(Registration registration) {
        Ring replaced;
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
            // An alarm that cannot be cancelled rings, and finds nothing to do.
        }
    }
}
