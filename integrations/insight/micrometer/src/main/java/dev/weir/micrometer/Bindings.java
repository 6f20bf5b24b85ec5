package dev.weir.micrometer;

import dev.weir.spi.Registration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The meters that one binder has bound, by registry, at most once in each. Thread-safe. */
final class Bindings<B extends Registration> {
    private final String owner;
    private final String meter;
    private final Tags tags;
    private final Map<MeterRegistry, B> bound = new ConcurrentHashMap<>();

    /** Bindings of this owner ("queue a is"), whose meters are in a registry if this meter is. */
    Bindings(String owner, String meter, Tags tags) {
        this.owner = owner;
        this.meter = meter;
        this.tags = tags;
    }

    /** Registers the meters, all or none. Throws if meters of this owner are in the registry already. */
    void bind(MeterRegistry registry, B meters, Consumer<B> register) {
        if (registry.find(meter).tags(tags).meter() != null || bound.putIfAbsent(registry, meters) != null) {
            meters.close();
            throw new IllegalStateException(owner + " already bound to this registry");
        }
        try {
            register.accept(meters);
        } catch (Throwable t) {
            bound.remove(registry, meters);
            meters.close();
            throw t;
        }
    }

    Collection<B> all() {
        return bound.values();
    }

    void close() {
        for (MeterRegistry registry : List.copyOf(bound.keySet())) {
            B meters = bound.remove(registry);
            if (meters != null) {
                meters.close();
            }
        }
    }
}
