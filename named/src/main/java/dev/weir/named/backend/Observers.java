package dev.weir.named.backend;

import dev.weir.named.delivery.Delivery;
import dev.weir.named.status.RegistryObserver;
import dev.weir.spi.Registration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * The observers of a registry. Each is told of the parts that are there by one thread at a time, on an executor, so that nothing
 * waits for an observer. Thread-safe.
 */
public final class Observers {
    /*
     * `parts` is what should be observed, and each observer has a list of those that have changed since it was told. One thread
     * at a time tells it, and once more if something changed meanwhile:
     *
     *     a part comes                      the observer comes
     *     parts += p
     *                                       all += o, is told of p
     *     sees o: p is known already
     */
    private final Map<Object, Function<RegistryObserver, Registration>> parts = new ConcurrentHashMap<>();
    private final List<Observing> all = new CopyOnWriteArrayList<>();
    private final Executor executor;
    private final AtomicLong failures;

    public Observers(Executor executor, AtomicLong failures) {
        this.executor = executor;
        this.failures = failures;
    }

    void add(Object part, Function<RegistryObserver, Registration> tell) {
        if (parts.put(part, tell) == null) {
            tellAll(part);
        }
    }

    void remove(Object part) {
        if (parts.remove(part) != null) {
            tellAll(part);
        }
    }

    private void tellAll(Object part) {
        for (Observing each : all) {
            each.changed.add(part);
            each.tell(executor);
        }
    }

    public Registration add(RegistryObserver observer) {
        Observing added = new Observing(observer);
        all.add(added);
        added.changed.addAll(parts.keySet());
        added.tell(Runnable::run);
        return () -> {
            added.closed = true;
            all.remove(added);
            added.tell(Runnable::run);
        };
    }

    private final class Observing {
        private final RegistryObserver observer;
        private final Delivery<Boolean> delivery = Delivery.ofNewest(any -> update(), failures);
        private final Set<Object> changed = ConcurrentHashMap.newKeySet();
        /* Belongs to the thread that delivers. */
        private final Map<Object, Registration> known = new HashMap<>();
        volatile boolean closed;

        Observing(RegistryObserver observer) {
            this.observer = observer;
        }

        /** Tells it what has changed, unless another thread is at it. */
        void tell(Executor where) {
            delivery.add(true, where);
        }

        private void update() {
            List<Object> now = new ArrayList<>(closed ? known.keySet() : changed);
            // What changes from here on is in another round.
            now.forEach(changed::remove);
            for (Object part : now) {
                Registration gone = closed || !parts.containsKey(part) ? known.remove(part) : null;
                if (gone != null) {
                    guarded(gone::close);
                }
            }
            for (Object part : now) {
                Function<RegistryObserver, Registration> tell = parts.get(part);
                if (!closed && tell != null && !known.containsKey(part)) {
                    known.put(part, () -> {});
                    guarded(() -> known.put(part, tell.apply(observer)));
                }
            }
        }

        private void guarded(Runnable foreign) {
            try {
                foreign.run();
            } catch (Throwable t) {
                failures.getAndIncrement();
            }
        }
    }
}
