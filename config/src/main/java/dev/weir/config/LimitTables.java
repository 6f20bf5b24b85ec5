package dev.weir.config;

import dev.weir.config.ConfigEvent.Difference;
import dev.weir.config.document.LimitPlan;
import dev.weir.config.document.LimitsDocument;
import dev.weir.config.document.Problem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The limits of a registry: those that each instance counts for itself, and those that a store counts. */
record LimitTables(LimiterTable local, ClusterTable cluster) {
    /** The names that are known now, sorted. */
    List<String> names() {
        return Stream.concat(local.names().stream(), cluster.names().stream())
                .distinct()
                .sorted()
                .toList();
    }

    /**
     * The limit of this name that each instance counts for itself.
     *
     * @throws IllegalArgumentException if there is none
     */
    NamedLimit local(String name) {
        NamedLimit found = local.find(name);
        if (found == null) {
            throw unknown(name, cluster.find(name) != null, "has scope: cluster; use clusterLimiter");
        }
        return found;
    }

    /**
     * The limit of this name that a store counts.
     *
     * @throws IllegalArgumentException if there is none
     */
    NamedClusterLimit cluster(String name) {
        NamedClusterLimit found = cluster.find(name);
        if (found == null) {
            throw unknown(name, local.find(name) != null, "has scope: local; use limiter");
        }
        return found;
    }

    /** The dimensions of the key of a limit of either kind. */
    List<String> dimensions(String name) {
        NamedClusterLimit counted = cluster.find(name);
        return counted != null && local.find(name) == null
                ? counted.dimensions()
                : local(name).dimensions();
    }

    private IllegalArgumentException unknown(String name, boolean isOther, String other) {
        return new IllegalArgumentException(
                isOther
                        ? "name must be that of a limit of this kind, was " + name + ", which " + other
                        : "name must be one of " + names() + ", was " + name);
    }

    /** The plans of a document that can be put in force; what is wrong with the others is added to the problems. */
    Map<String, LimitPlan> buildable(String source, LimitsDocument document, List<Problem> problems) {
        Map<String, LimitPlan> good = new TreeMap<>();
        Map<String, LimitPlan> own = new HashMap<>();
        document.limits().forEach((name, plan) -> {
            LimitPlan.Cluster counted = plan.cluster();
            if (isDeclaredOtherwise(plan)) {
                problems.add(declaredOtherwise(source, plan));
            } else if (counted == null) {
                own.put(name, plan);
            } else if (cluster.isBuildable(source, plan, counted, problems)) {
                good.put(name, plan);
            }
        });
        good.putAll(local.buildable(source, with(document, own, Set.of()), problems));
        return good;
    }

    private boolean isDeclaredOtherwise(LimitPlan plan) {
        NamedLimit own = local.find(plan.name());
        NamedClusterLimit counted = cluster.find(plan.name());
        return plan.cluster() == null
                ? counted != null && counted.target().declared() != null
                : own != null && own.target().declared() != null;
    }

    private static Problem declaredOtherwise(String source, LimitPlan plan) {
        LimitPlan.Cluster counted = plan.cluster();
        String scope = counted == null ? "cluster" : "local";
        return new Problem(
                source,
                counted == null ? 0 : counted.line(),
                counted == null ? 0 : counted.column(),
                plan.name(),
                "scope",
                "must be " + scope + ", as code declares it",
                "");
    }

    /**
     * Puts plans in force: those that are the same are left alone, those that are missing and not faulty go.
     *
     * @return what is different
     */
    List<Difference> apply(
            String source, Map<String, LimitPlan> wanted, LimitsDocument document, List<Problem> problems) {
        Map<String, LimitPlan> ownSaid = new HashMap<>(document.limits());
        ownSaid.values().removeIf(plan -> plan.cluster() != null);
        Map<String, LimitPlan> own = new TreeMap<>(wanted);
        own.values().removeIf(plan -> plan.cluster() != null);
        Map<String, LimitPlan> counted = new TreeMap<>(wanted);
        counted.values().removeIf(plan -> plan.cluster() == null);
        Set<String> unusable = new HashSet<>(document.limits().keySet());
        unusable.removeAll(wanted.keySet());
        unusable.addAll(document.faulty());
        Set<String> ownUnusable = new HashSet<>(unusable);
        ownUnusable.removeAll(ownSaid.keySet());
        List<Difference> differences =
                new ArrayList<>(local.apply(source, own, with(document, ownSaid, ownUnusable), problems));
        differences.addAll(cluster.apply(source, counted, with(document, counted, unusable), problems));
        return differences;
    }

    private static LimitsDocument with(LimitsDocument document, Map<String, LimitPlan> limits, Set<String> faulty) {
        return new LimitsDocument(
                document.header(),
                limits,
                document.removed(),
                faulty,
                document.values(),
                document.proof(),
                document.problems());
    }

    void close() {
        local.close();
        cluster.close();
    }
}
