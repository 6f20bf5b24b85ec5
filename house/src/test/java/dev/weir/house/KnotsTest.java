package dev.weir.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A knot is a set of top-level types each of which depends on all others, directly or not: it is read as one. */
@Tag("house")
class KnotsTest {
    private static final int MAX_TYPES = 3;

    @ParameterizedTest
    @EnumSource
    void noKnotHasMoreThanThreeTypes(Products module) {
        assertEquals(List.of(), knots(graph(module, KnotsTest::topLevel), MAX_TYPES));
    }

    @ParameterizedTest
    @EnumSource
    void noPackagesDependOnEachOther(Products module) {
        assertEquals(List.of(), knots(graph(module, JavaClass::getPackageName), 1));
    }

    private static List<Set<String>> knots(Map<String, Set<String>> graph, int atMost) {
        assertFalse(graph.isEmpty());
        Set<Set<String>> knots = new HashSet<>();
        graph.keySet().forEach(name -> knots.add(knot(name, graph)));
        return knots.stream().filter(knot -> knot.size() > atMost).toList();
    }

    private static Map<String, Set<String>> graph(Products module, Function<JavaClass, String> name) {
        Map<String, Set<String>> graph = new TreeMap<>();
        JavaClasses types = new ClassFileImporter().importPath(module.classes());
        for (JavaClass type : types) {
            Set<String> uses = graph.computeIfAbsent(name.apply(type), first -> new TreeSet<>());
            for (Dependency use : type.getDirectDependenciesFromSelf()) {
                add(types, use.getTargetClass().getName(), name, uses);
            }
            permitted(type).forEach(permitted -> add(types, permitted.getName(), name, uses));
        }
        return graph;
    }

    /** A sealed interface depends on what it permits, which its callers tell apart; a sealed class only has no others. */
    private static List<Class<?>> permitted(JavaClass type) {
        return type.isInterface() && type.reflect().isSealed()
                ? List.of(type.reflect().getPermittedSubclasses())
                : List.of();
    }

    private static void add(JavaClasses types, String used, Function<JavaClass, String> name, Set<String> uses) {
        if (types.contain(used)) {
            uses.add(name.apply(types.get(used)));
        }
    }

    private static String topLevel(JavaClass type) {
        return type.getName().replaceFirst("[$].*", "");
    }

    private static Set<String> knot(String type, Map<String, Set<String>> graph) {
        Set<String> knot = new TreeSet<>(Set.of(type));
        for (String other : reachable(type, graph)) {
            if (reachable(other, graph).contains(type)) {
                knot.add(other);
            }
        }
        return knot;
    }

    private static Set<String> reachable(String from, Map<String, Set<String>> graph) {
        Set<String> reached = new TreeSet<>();
        Deque<String> open = new ArrayDeque<>(Set.of(from));
        while (!open.isEmpty()) {
            for (String next : graph.getOrDefault(open.pop(), Set.of())) {
                if (reached.add(next)) {
                    open.push(next);
                }
            }
        }
        return reached;
    }
}
