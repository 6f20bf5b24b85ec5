package dev.weir.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.Dependency;
import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Signal;
import dev.weir.adaptive.signal.Signals;
import dev.weir.config.builtin.Factories;
import dev.weir.config.factory.StrategyFactory;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.spi.StrategySpec;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each public algorithm, discipline, controller and signal can be named in a document. */
@Tag("house")
class NamedInDocumentsTest {
    /** Those that have no name of their own, because they are fields of every limit: all-of, key and warm-up. */
    private static final Set<String> FIELDS =
            Set.of("dev.weir.algorithms.AllOf", "dev.weir.keyed.Keyed", "dev.weir.algorithms.WarmUp");

    /** Leaves the limit as it is; code reads what it suggests. */
    private static final Set<String> NO_LIMITS = Set.of("dev.weir.adaptive.LimitAdvice");

    @ParameterizedTest
    @ValueSource(classes = {StrategySpec.class, DisciplineSpec.class, Controller.class})
    void hasAFactory(Class<?> kind) {
        Set<String> offered = offered(kind);
        assertTrue(offered.size() >= 7, offered::toString);
        Set<String> fields = new TreeSet<>(offered);
        fields.retainAll(FIELDS);
        assertEquals(Set.of(), without(fields, usedIn("dev.weir.config.document")));
        offered.removeAll(FIELDS);
        offered.removeAll(NO_LIMITS);
        offered.removeIf(NamedInDocumentsTest::hasItsOwn);
        assertEquals(
                Set.of(),
                without(offered, usedIn("dev.weir.config.builtin")),
                "no entry in dev.weir.config.builtin creates it: docs/contribute/add.md, \"A name in documents\"");
    }

    /** All that need no argument; {@code lag} needs the executor that it watches, so code adds it. */
    @Test
    void eachSignalOfTheProcessHasAFactory() {
        Set<String> offered = Arrays.stream(Signals.class.getMethods())
                .filter(method -> Modifier.isStatic(method.getModifiers())
                        && method.getReturnType() == Signal.class
                        && method.getParameterCount() == 0)
                .map(Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        assertTrue(offered.contains("cpu"), offered::toString);
        assertEquals(offered, new TreeSet<>(Factories.loaded().all(Signal.class).keySet()));
    }

    /** Beside it, in an integration. */
    private static boolean hasItsOwn(String spec) {
        return ServiceLoader.load(StrategyFactory.class).stream()
                .anyMatch(factory -> factory.type().getName().equals(spec + "Factory"));
    }

    private static Set<String> without(Set<String> these, Set<String> those) {
        Set<String> rest = new TreeSet<>(these);
        rest.removeAll(those);
        return rest;
    }

    private static Set<String> offered(Class<?> kind) {
        return Stream.of(Products.values())
                .flatMap(ExportedTypes::of)
                .filter(type -> !type.isInterface() && Modifier.isPublic(type.getModifiers()))
                .filter(kind::isAssignableFrom)
                .map(Class::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> usedIn(String part) {
        return Imported.ALL.stream()
                .filter(type -> (type.getPackageName() + '.').startsWith(part + '.'))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .map(Dependency::getTargetClass)
                .map(target -> target.getFullName())
                .collect(Collectors.toSet());
    }
}
