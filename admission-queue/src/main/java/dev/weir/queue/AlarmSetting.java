package dev.weir.queue;

import dev.weir.spi.Registration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One setting of a queue's alarm. Thread-safe. */
final class AlarmSetting {
    /** When it is due, in the queue's time. */
    final long at;
    /** The delay in nanoseconds. */
    final long delay;

    private final CompletableFuture<Registration> set = new CompletableFuture<>();
    /* Of use to the thread that sets this one. */
    private @Nullable AlarmSetting before;

    /** Replaces the setting before, if there is one. */
    AlarmSetting(long at, long delay, @Nullable AlarmSetting before) {
        this.at = at;
        this.delay = delay;
        this.before = before;
    }

    /** The alarm was set: cancels the setting before, and this one if it was cancelled meanwhile. */
    void wasSet(Registration registration) {
        set.complete(registration);
        if (before != null) {
            before.cancel();
            before = null;
        }
    }

    /** An alarm that cannot be cancelled finds nothing to do when it fires. */
    void cancel() {
        CompletableFuture<Void> unused = set.thenAccept(Registration::close);
    }
}
