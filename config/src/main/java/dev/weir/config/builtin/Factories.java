package dev.weir.config.builtin;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Signal;
import dev.weir.config.factory.ControllerFactory;
import dev.weir.config.factory.DisciplineFactory;
import dev.weir.config.factory.Factory;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.SignalFactory;
import dev.weir.config.factory.StrategyFactory;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.spi.StrategySpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The factories by the class of what they create, and by name: those of Weir, and those that class loaders find. Those of one
 * class are looked for when a document needs one. Thread-safe.
 */
public final class Factories {
    private static final int MAX_FAILURES = 100;
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?");

    private static final List<Kind> KINDS = List.of(
            new Kind("limit", StrategySpec.class, StrategyFactory.class, Factories::limits),
            new Kind("discipline", DisciplineSpec.class, DisciplineFactory.class, () -> Disciplines.ALL),
            new Kind("controller", Controller.class, ControllerFactory.class, () -> Controllers.ALL),
            new Kind("signal", Signal.class, SignalFactory.class, () -> ProcessSignals.ALL));

    private final Map<Class<?>, Named> byClass = new ConcurrentHashMap<>();
    private final Function<Kind, Named> finder;

    /**
     * A kind of object that factories create: its name in words, its class, the interface of a user's factory, and the factories of
     * Weir.
     */
    private record Kind(
            String name,
            Class<?> created,
            Class<? extends Factory<?>> service,
            Supplier<List<? extends Factory<?>>> own) {}

    /** The factories of what has one class by name, of which none is used if there are several, and those that cannot be used at all. */
    private record Named(SortedMap<String, List<Factory<?>>> byName, Set<String> failures) {
        Named() {
            this(new TreeMap<>(), new TreeSet<>());
        }

        void add(Factory<?> factory) {
            String name;
            try {
                name = factory.name();
            } catch (Throwable t) {
                failures.add(factory.getClass().getName() + ": " + t);
                return;
            }
            if (name == null || !NAME.matcher(name).matches()) {
                failures.add(
                        factory.getClass().getName() + ": the name must be lower-case letters, digits and hyphens");
                return;
            }
            byName.computeIfAbsent(name, any -> new ArrayList<>()).add(factory);
        }

        SortedMap<String, Factory<?>> known() {
            SortedMap<String, Factory<?>> known = new TreeMap<>();
            byName.forEach((name, factories) -> {
                if (factories.size() == 1) {
                    known.put(name, factories.get(0));
                }
            });
            return known;
        }
    }

    private Factories(Function<Kind, Named> finder) {
        this.finder = finder;
    }

    private static List<Entry<StrategySpec>> limits() {
        return Stream.concat(Algorithms.ALL.stream(), ClientLimits.ALL.stream()).toList();
    }

    public static Factories of(Collection<? extends Factory<?>> factories) {
        return new Factories(kind -> {
            Named named = new Named();
            factories.stream().filter(kind.service::isInstance).forEach(named::add);
            return named;
        });
    }

    /** Those of Weir, and all that the class loaders of this thread and of the library find. One that fails hides no other. */
    public static Factories loaded() {
        ClassLoader library = Factories.class.getClassLoader();
        ClassLoader thread = Thread.currentThread().getContextClassLoader();
        return new Factories(kind -> {
            Named named = new Named();
            kind.own.get().forEach(named::add);
            Set<Class<?>> seen = new HashSet<>();
            load(ServiceLoader.load(kind.service, library), named, seen);
            if (thread != null && thread != library) {
                load(ServiceLoader.load(kind.service, thread), named, seen);
            }
            return named;
        });
    }

    private static void load(ServiceLoader<? extends Factory<?>> loader, Named named, Set<Class<?>> seen) {
        Iterator<? extends Factory<?>> found = loader.iterator();
        int failures = 0;
        while (failures < MAX_FAILURES) {
            try {
                if (!found.hasNext()) {
                    return;
                }
                Factory<?> factory = found.next();
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
        Named found = byClass.get(created);
        if (found != null) {
            return found;
        }
        Named made = finder.apply(kindOf(created));
        Named before = byClass.putIfAbsent(created, made);
        return before == null ? made : before;
    }

    private static Kind kindOf(Class<?> created) {
        return KINDS.stream()
                .filter(kind -> kind.created == created)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "must be a limit, discipline, controller or signal, was " + created));
    }

    /** The kind of the objects of this class, in words: {@code "discipline"}. */
    public static String kind(Class<?> created) {
        return kindOf(created).name;
    }

    public Optional<Factory<?>> find(Class<?> created, String name) {
        List<Factory<?>> found = named(created).byName.getOrDefault(name, List.of());
        return found.size() == 1 ? Optional.of(found.get(0)) : Optional.empty();
    }

    /** All factories, by kind and name. */
    public List<Factory<?>> all() {
        return KINDS.stream()
                .<Factory<?>>flatMap(kind -> all(kind.created).values().stream())
                .toList();
    }

    /** The factories for this class, in order of their names. */
    public Map<String, Factory<?>> all(Class<?> created) {
        return named(created).known();
    }

    /** The fields of a factory; none if it throws, which is a problem of each limit that uses it. */
    public static List<Field<?>> fields(Factory<?> factory) {
        try {
            return List.copyOf(factory.fields());
        } catch (Throwable foreign) {
            return List.of();
        }
    }

    /** The factories that all have this name, so that none is used; empty = not several. */
    public String twice(Class<?> created, String name) {
        List<Factory<?>> factories = named(created).byName.getOrDefault(name, List.of());
        return factories.size() < 2
                ? ""
                : factories.stream()
                        .map(each -> each instanceof Entry<?>
                                ? "that of Weir"
                                : each.getClass().getName())
                        .collect(Collectors.joining(" and "));
    }

    public Set<String> failures(Class<?> created) {
        return Collections.unmodifiableSet(named(created).failures());
    }
}
