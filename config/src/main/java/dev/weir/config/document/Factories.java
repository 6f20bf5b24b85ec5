package dev.weir.config.document;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Signal;
import dev.weir.config.builtin.OwnFactories;
import dev.weir.config.factory.ControllerFactory;
import dev.weir.config.factory.DisciplineFactory;
import dev.weir.config.factory.Factory;
import dev.weir.config.factory.SignalFactory;
import dev.weir.config.factory.StrategyFactory;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.spi.StrategySpec;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The factories by the class of what they create, and by name. Immutable. */
final class Factories {
    private static final int MAX_FAILURES = 100;

    private static final Map<Class<?>, Class<? extends Factory<?>>> TYPES = Map.of(
            StrategySpec.class, StrategyFactory.class,
            DisciplineSpec.class, DisciplineFactory.class,
            Controller.class, ControllerFactory.class,
            Signal.class, SignalFactory.class);

    private final Map<Class<?>, Named> byClass = new LinkedHashMap<>();

    /**
     * The factories of what has one class.
     *
     * @param twice names that several factories have, with their classes: none of them is used
     * @param failures factories that cannot be used at all
     */
    private record Named(Map<String, Factory<?>> known, Map<String, String> twice, Set<String> failures) {
        Named() {
            this(new TreeMap<>(), new TreeMap<>(), new TreeSet<>());
        }

        void add(Factory<?> factory) {
            String name;
            try {
                name = factory.name();
            } catch (Throwable t) {
                failures.add(factory.getClass().getName() + ": " + t);
                return;
            }
            if (name == null || !name.matches("[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?")) {
                failures.add(
                        factory.getClass().getName() + ": the name must be lower-case letters, digits and hyphens");
                return;
            }
            String type = factory.getClass().getName();
            Factory<?> other = known.remove(name);
            if (other != null || twice.containsKey(name)) {
                twice.merge(name, type, (a, b) -> a + " and " + b);
                if (other != null) {
                    twice.merge(name, other.getClass().getName(), (a, b) -> b + " and " + a);
                }
                return;
            }
            known.put(name, factory);
        }
    }

    private Factories() {}

    /** These factories. */
    static Factories of(Collection<? extends Factory<?>> factories) {
        Factories all = new Factories();
        TYPES.forEach((created, type) -> {
            Named named = all.named(created);
            factories.stream().filter(type::isInstance).forEach(named::add);
        });
        return all;
    }

    /** All that the class loaders of this thread and of the library find. One that cannot be loaded does not hide others. */
    static Factories loaded() {
        Factories all = new Factories();
        TYPES.forEach((created, type) -> OwnFactories.of(type).forEach(all.named(created)::add));
        ClassLoader library = Factories.class.getClassLoader();
        ClassLoader thread = Thread.currentThread().getContextClassLoader();
        Set<Class<?>> seen = new HashSet<>();
        all.load(ServiceLoader.load(StrategyFactory.class, library), StrategySpec.class, seen);
        all.load(ServiceLoader.load(DisciplineFactory.class, library), DisciplineSpec.class, seen);
        all.load(ServiceLoader.load(ControllerFactory.class, library), Controller.class, seen);
        all.load(ServiceLoader.load(SignalFactory.class, library), Signal.class, seen);
        if (thread != null && thread != library) {
            all.load(ServiceLoader.load(StrategyFactory.class, thread), StrategySpec.class, seen);
            all.load(ServiceLoader.load(DisciplineFactory.class, thread), DisciplineSpec.class, seen);
            all.load(ServiceLoader.load(ControllerFactory.class, thread), Controller.class, seen);
            all.load(ServiceLoader.load(SignalFactory.class, thread), Signal.class, seen);
        }
        return all;
    }

    private <F extends Factory<?>> void load(ServiceLoader<F> loader, Class<?> created, Set<Class<?>> seen) {
        Named named = named(created);
        Iterator<F> found = loader.iterator();
        int failures = 0;
        while (failures < MAX_FAILURES) {
            try {
                if (!found.hasNext()) {
                    return;
                }
                F factory = found.next();
                if (seen.add(factory.getClass())) {
                    named.add(factory);
                }
            } catch (Throwable t) {
                failures++;
                named.failures().add(String.valueOf(t.getMessage()));
            }
        }
    }

    private Named named(Class<?> created) {
        return byClass.computeIfAbsent(created, any -> new Named());
    }

    /** The factory of this name, for what has this class. */
    Optional<Factory<?>> find(Class<?> created, String name) {
        Named named = byClass.get(created);
        return Optional.ofNullable(named == null ? null : named.known().get(name));
    }

    /** The names of the factories for this class. */
    Set<String> names(Class<?> created) {
        Named named = byClass.get(created);
        return named == null ? Set.of() : named.known().keySet();
    }

    /** All factories. */
    List<Factory<?>> all() {
        return byClass.values().stream()
                .<Factory<?>>flatMap(named -> named.known().values().stream())
                .toList();
    }

    /** The factories for this class, by name. */
    List<Factory<?>> all(Class<?> created) {
        Named named = byClass.get(created);
        return named == null ? List.of() : List.copyOf(named.known().values());
    }

    /** The rule that a name breaks which {@link #find} does not find. */
    String rule(Class<?> created, String name) {
        @Nullable Named named = byClass.get(created);
        if (named == null) {
            return "is not known: there are no factories of " + created.getSimpleName();
        }
        String twice = named.twice().get(name);
        if (twice != null) {
            return "is the name of several factories: " + twice;
        }
        String rule = Suggestion.rule(name, named.known().keySet());
        return named.failures().isEmpty() ? rule : rule + " (not loaded: " + String.join("; ", named.failures()) + ")";
    }
}
