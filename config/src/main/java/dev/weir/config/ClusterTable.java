package dev.weir.config;

import dev.weir.config.ClusterStore.Setup;
import dev.weir.config.ConfigEvent.Difference;
import dev.weir.config.document.LimitPlan;
import dev.weir.config.document.LimitsDocument;
import dev.weir.config.document.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The limits of a registry that a store counts, by name. Thread-safe; documents are applied by one thread at a time. */
final class ClusterTable {
    private final Map<String, NamedClusterLimit> limits = new ConcurrentHashMap<>();
    private final ClusterStore store;
    private final Environment environment;
    private volatile Map<String, LimitPlan> plans = Map.of();
    /* As in LimiterTable. */
    private volatile boolean closed;

    ClusterTable(ClusterStore store, Environment environment) {
        this.store = store;
        this.environment = environment;
    }

    @Nullable
    NamedClusterLimit find(String name) {
        return limits.get(name);
    }

    List<String> names() {
        return limits.keySet().stream().sorted().toList();
    }

    Map<String, LimitPlan> plans() {
        return plans;
    }

    /** Declares a default; what the document says comes first. */
    NamedClusterLimit declare(String name, Setup declared) {
        while (true) {
            if (closed) {
                throw new IllegalStateException("the registry is closed");
            }
            LimitPlan said = plans.get(name);
            NamedClusterLimit present = limits.get(name);
            if (present == null) {
                present = entered(name, new NamedClusterLimit.Target(declared, said, false));
            } else {
                present.change(target -> new NamedClusterLimit.Target(declared, said, target.closed()));
            }
            if (present.target().closed()) {
                limits.remove(name, present);
            } else if (plans.get(name) == said) {
                return present;
            }
        }
    }

    private NamedClusterLimit entered(String name, NamedClusterLimit.Target target) {
        NamedClusterLimit created = new NamedClusterLimit(name, target, store, environment);
        NamedClusterLimit present = limits.putIfAbsent(name, created);
        if (present != null) {
            created.end();
            return present;
        }
        if (closed) {
            created.end();
        }
        return created;
    }

    /** Whether the plan is in force, or the store can count it; if not, a problem says why. */
    boolean isBuildable(String source, LimitPlan plan, LimitPlan.Cluster cluster, List<Problem> problems) {
        if (LimiterTable.isSame(plan, inForce(plan.name()))) {
            return true;
        }
        try {
            Setup setup = store.setup(plan.spec(), cluster);
            store.store()
                    .limiter(plan.name(), setup.spec(), setup.mode(), setup.whenAway())
                    .close();
            return true;
        } catch (Throwable t) {
            environment.failures().getAndIncrement();
            problems.add(problem(source, plan, t));
            return false;
        }
    }

    private static Problem problem(String source, LimitPlan plan, Throwable cause) {
        LimitPlan.Cluster cluster = plan.cluster();
        String rule = cause instanceof IllegalArgumentException && cause.getMessage() != null
                ? cause.getMessage()
                : "cannot be built: " + cause;
        return new Problem(
                source,
                cluster == null ? 0 : cluster.line(),
                cluster == null ? 0 : cluster.column(),
                plan.name(),
                "",
                rule,
                "");
    }

    private @Nullable LimitPlan inForce(String name) {
        NamedClusterLimit present = limits.get(name);
        return present == null ? null : present.target().plan();
    }

    /**
     * Puts plans in force: those that are the same are left alone, those that are missing and not faulty go.
     *
     * @return what is different
     */
    List<Difference> apply(
            String source, Map<String, LimitPlan> wanted, LimitsDocument document, List<Problem> problems) {
        plans = LimiterTable.said(wanted, document, plans);
        List<Difference> differences = new ArrayList<>();
        TreeSet<String> names = new TreeSet<>(limits.keySet());
        names.addAll(wanted.keySet());
        for (String name : names) {
            LimitPlan plan = wanted.get(name);
            LimitPlan old = inForce(name);
            if (!document.faulty().contains(name) && !LimiterTable.isSame(plan, old)) {
                put(source, name, plan, problems);
                differences.addAll(LimiterTable.differences(name, old, inForce(name)));
            }
        }
        return differences;
    }

    private void put(String source, String name, @Nullable LimitPlan plan, List<Problem> problems) {
        try {
            NamedClusterLimit present = limits.get(name);
            if (present == null) {
                if (plan != null) {
                    entered(name, new NamedClusterLimit.Target(null, plan, false));
                }
                return;
            }
            for (String failure : present.change(before -> before.with(plan))) {
                problems.add(new Problem(source, 0, 0, name, "", "cannot be built: " + failure, ""));
            }
            if (present.target().closed()) {
                limits.remove(name, present);
            }
        } catch (Throwable t) {
            environment.failures().getAndIncrement();
            if (plan != null) {
                problems.add(problem(source, plan, t));
            }
        }
    }

    void close() {
        closed = true;
        // One that is entered from now on is closed by the thread that enters it.
        limits.values().forEach(NamedClusterLimit::end);
    }
}
