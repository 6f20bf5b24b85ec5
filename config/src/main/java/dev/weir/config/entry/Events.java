package dev.weir.config.entry;

import dev.weir.config.status.ConfigEvent;
import dev.weir.spi.Registration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** The listeners of a registry to its events. Thread-safe. */
public final class Events {
    private final List<EventDelivery> listeners = new CopyOnWriteArrayList<>();
    private final Executor executor;
    private final AtomicLong failures;

    /**
     * None yet.
     *
     * @param failures counts what listeners throw
     */
    Events(Executor executor, AtomicLong failures) {
        this.executor = executor;
        this.failures = failures;
    }

    public Registration add(Consumer<? super ConfigEvent> listener) {
        EventDelivery added = new EventDelivery(listener, executor, failures);
        listeners.add(added);
        return () -> {
            listeners.remove(added);
            added.close();
        };
    }

    /** Daemon threads, so many that none waits for a listener of another. */
    static Executor threads() {
        return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), work -> {
            Thread thread = new Thread(work, "weir-config-events");
            thread.setDaemon(true);
            return thread;
        });
    }

    public void tell(ConfigEvent event) {
        listeners.forEach(listener -> listener.tell(event));
    }
}
