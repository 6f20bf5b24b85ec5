package dev.weir.verification.house;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A knot is a set of top-level types each of which depends on all others, directly or not: it is read as one. */
@Tag("house")
class KnotsTest {
    private static final int MAX_TYPES = 3;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "dev.weir.engine",
                "dev.weir.succession",
                "dev.weir.algorithms",
                "dev.weir.keyed",
                "dev.weir.queue",
                "dev.weir.executor",
                "dev.weir.adaptive",
                "dev.weir.config.builtin",
                "dev.weir.config.document",
                "dev.weir.config.schema",
                "dev.weir.config.source",
                "dev.weir.config.value",
                "dev.weir.testkit",
                "dev.weir.http.source",
                "dev.weir.consul"
            })
    void noKnotHasMoreThanThreeTypes(String root) {
        Map<String, Set<String>> graph = graph(root);
        Set<Set<String>> knots = new HashSet<>();
        graph.keySet().forEach(type -> knots.add(knot(type, graph)));
        List<Set<String>> large =
                knots.stream().filter(knot -> knot.size() > MAX_TYPES).toList();
        assertEquals(List.of(), large);
    }

    private static Map<String, Set<String>> graph(String root) {
        Map<String, Set<String>> graph = new TreeMap<>();
        for (JavaClass type : new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages(root)) {
            Set<String> uses = graph.computeIfAbsent(topLevel(type), name -> new TreeSet<>());
            for (Dependency use : type.getDirectDependenciesFromSelf()) {
                if (use.getTargetClass().getPackageName().startsWith(root)) {
                    uses.add(topLevel(use.getTargetClass()));
                }
            }
        }
        return graph;
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
