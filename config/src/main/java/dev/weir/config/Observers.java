package dev.weir.config;

import dev.weir.spi.Registration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/** The observers of a registry, each of which is told once of each part, whichever of them comes first. Thread-safe. */
final class Observers {
    /*
     * A part is entered in `parts` before the observers are read, an observer in `observers` before the parts are read, so at
     * least one of the two threads sees both; `bound` lets only one of them tell:
     *
     *     the part comes               the observer comes
     *     parts += p
     *                                  observers += o
     *     sees o: bound += (o, p)      sees p: (o, p) is there already
     */
    private final Map<Object, Function<RegistryObserver, Registration>> parts = new ConcurrentHashMap<>();
    private final List<RegistryObserver> observers = new CopyOnWriteArrayList<>();
    private final Map<Pair, Binding> bound = new ConcurrentHashMap<>();
    private final AtomicLong failures;

    Observers(AtomicLong failures) {
        this.failures = failures;
    }

    /** An observer and a part, compared by identity. */
    private record Pair(RegistryObserver observer, Object part) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Pair pair && pair.observer == observer && pair.part == part;
        }

        @Override
        public int hashCode() {
            return 31 * System.identityHashCode(observer) + System.identityHashCode(part);
        }
    }

    /** The registration of a pair, closed once, also if that is asked for before there is one. */
    private static final class Binding {
        private static final Registration CLOSED = () -> {};

        private final AtomicReference<Registration> registration = new AtomicReference<>();

        void opened(Registration opened) {
            if (!registration.compareAndSet(null, opened)) {
                opened.close();
            }
        }

        void close() {
            Registration opened = registration.getAndSet(CLOSED);
            if (opened != null) {
                opened.close();
            }
        }
    }

    void add(Object part, Function<RegistryObserver, Registration> tell) {
        parts.put(part, tell);
        observers.forEach(observer -> bind(observer, part, tell));
    }

    void remove(Object part) {
        parts.remove(part);
        observers.forEach(observer -> unbind(new Pair(observer, part)));
    }

    Registration add(RegistryObserver observer) {
        observers.add(observer);
        parts.forEach((part, tell) -> bind(observer, part, tell));
        return () -> {
            observers.remove(observer);
            bound.keySet().stream()
                    .filter(pair -> pair.observer == observer)
                    .toList()
                    .forEach(this::unbind);
        };
    }

    private void bind(RegistryObserver observer, Object part, Function<RegistryObserver, Registration> tell) {
        Pair pair = new Pair(observer, part);
        Binding binding = new Binding();
        if (bound.putIfAbsent(pair, binding) != null) {
            return;
        }
        guarded(() -> binding.opened(tell.apply(observer)));
        if (!parts.containsKey(part) || !observers.contains(observer)) {
            unbind(pair);
        }
    }

    private void unbind(Pair pair) {
        Binding binding = bound.remove(pair);
        if (binding != null) {
            guarded(binding::close);
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
