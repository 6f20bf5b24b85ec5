package dev.weir.config.entry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.config.status.ConfigEvent;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A delivery of events to one listener, in order and one at a time, on an executor, so that nothing waits for the listener. Of
 * the events that it is behind, the newest 1000 are kept. Thread-safe.
 */
final class EventDelivery {
    private static final int MAX_PENDING = 1000;

    private final Consumer<? super ConfigEvent> listener;
    private final Executor executor;
    private final AtomicLong failures;
    private final Queue<ConfigEvent> pending = new ArrayDeque<>();

    @GuardedBy("pending")
    private boolean busy;

    @GuardedBy("pending")
    private boolean closed;

    EventDelivery(Consumer<? super ConfigEvent> listener, Executor executor, AtomicLong failures) {
        this.listener = listener;
        this.executor = executor;
        this.failures = failures;
    }

    void tell(ConfigEvent event) {
        synchronized (pending) {
            if (closed) {
                return;
            }
            pending.add(event);
            if (pending.size() > MAX_PENDING) {
                pending.remove();
                failures.getAndIncrement();
            }
            if (busy) {
                return;
            }
            busy = true;
        }
        try {
            executor.execute(this::run);
        } catch (Throwable refused) {
            failures.getAndIncrement();
            run();
        }
    }

    private void run() {
        for (ConfigEvent event = next(); event != null; event = next()) {
            try {
                listener.accept(event);
            } catch (Throwable t) {
                failures.getAndIncrement();
            }
        }
    }

    private @Nullable ConfigEvent next() {
        synchronized (pending) {
            ConfigEvent next = pending.poll();
            busy = next != null;
            return next;
        }
    }

    /** The listener is not called any more, but a call may not have ended yet. */
    void close() {
        synchronized (pending) {
            closed = true;
            pending.clear();
        }
    }
}
