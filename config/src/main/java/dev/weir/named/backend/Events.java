package dev.weir.named.backend;

import dev.weir.named.delivery.Delivery;
import dev.weir.named.status.ConfigEvent;
import dev.weir.spi.Registration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** The listeners of a registry to its events. Thread-safe. */
public final class Events {
    private final List<Delivery<ConfigEvent>> listeners = new CopyOnWriteArrayList<>();
    private final Executor executor;
    private final AtomicLong failures;

    /**
     * None yet.
     *
     * @param executor calls the listeners
     * @param failures counts what they throw
     */
    public Events(Executor executor, AtomicLong failures) {
        this.executor = executor;
        this.failures = failures;
    }

    public Registration add(Consumer<? super ConfigEvent> listener) {
        Delivery<ConfigEvent> added = Delivery.ofAll(listener, failures);
        listeners.add(added);
        return () -> {
            listeners.remove(added);
            added.close();
        };
    }

    public void tell(ConfigEvent event) {
        listeners.forEach(listener -> listener.add(event, executor));
    }
}
