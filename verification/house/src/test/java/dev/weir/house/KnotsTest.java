package dev.weir.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A knot is a set of top-level types each of which depends on all others, directly or not: it is read as one. */
@Tag("house")
class KnotsTest {
    private static final int MAX_TYPES = 3;
    private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");

    /** The top-level type of each, also where only a comment uses it: the class file does not say so. */
    private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?([a-z_.]+[.][A-Z]\\w*)[\\w.*]*;");

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
        Map<String, JavaClass> types = Imported.of(module);
        for (JavaClass type : types.values()) {
            Set<String> uses = graph.computeIfAbsent(name.apply(type), first -> new TreeSet<>());
            for (Dependency use : type.getDirectDependenciesFromSelf()) {
                add(types, use.getTargetClass().getName(), name, uses);
            }
            permitted(type).forEach(permitted -> add(types, permitted.getName(), name, uses));
        }
        for (Path file : module.sources()) {
            String text = Products.read(file);
            JavaClass type = Objects.requireNonNull(types.get(typeOf(file, text)), file::toString);
            Set<String> uses = graph.computeIfAbsent(name.apply(type), first -> new TreeSet<>());
            for (Matcher line = IMPORT.matcher(text); line.find(); ) {
                add(types, line.group(1), name, uses);
            }
        }
        return graph;
    }

    private static String typeOf(Path file, String text) {
        Matcher line = PACKAGE.matcher(text);
        assertTrue(line.find(), file::toString);
        return line.group(1) + "." + Sources.name(file);
    }

    /** A sealed interface depends on what it permits, which its callers tell apart; a sealed class only has no others. */
    private static List<Class<?>> permitted(JavaClass type) {
        return type.isInterface() && type.reflect().isSealed()
                ? List.of(type.reflect().getPermittedSubclasses())
                : List.of();
    }

    private static void add(
            Map<String, JavaClass> types, String used, Function<JavaClass, String> name, Set<String> uses) {
        JavaClass type = types.get(used);
        if (type != null) {
            uses.add(name.apply(type));
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
