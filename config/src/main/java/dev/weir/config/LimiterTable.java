package dev.weir.config;

import dev.weir.config.ConfigEvent.Difference;
import dev.weir.config.document.LimitPlan;
import dev.weir.config.document.LimitsDocument;
import dev.weir.config.document.Problem;
import dev.weir.spi.StrategySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The limits of a registry by name. Thread-safe; documents are applied by one thread at a time. */
final class LimiterTable {
    private final Map<String, NamedLimit> limits = new ConcurrentHashMap<>();
    private final Environment environment;
    private volatile Map<String, LimitPlan> plans = Map.of();
    private volatile boolean closed;

    LimiterTable(Environment environment) {
        this.environment = environment;
    }

    @Nullable
    NamedLimit find(String name) {
        return limits.get(name);
    }

    List<String> names() {
        return limits.keySet().stream().sorted().toList();
    }

    Map<String, LimitPlan> plans() {
        return plans;
    }

    /** Declares a default; what the document says comes first if it is within the caps. Returns what is wrong with that. */
    NamedLimit declare(String name, StrategySpec declared, Caps caps, Consumer<String> excess) {
        checkOpen();
        LimitPlan said = plans.get(name);
        LimitPlan plan = said != null && isWithin(caps, said, excess) ? said : null;
        NamedLimit.Target target = new NamedLimit.Target(declared, caps, plan, false);
        NamedLimit created = new NamedLimit(name, target, environment);
        NamedLimit present = limits.putIfAbsent(name, created);
        if (present == null) {
            created.start();
            if (closed) {
                created.close();
            }
            return created;
        }
        created.limiter().close();
        present.change(before -> new NamedLimit.Target(
                declared,
                caps,
                before.plan() != null && isWithin(caps, before.plan(), excess) ? before.plan() : null,
                before.closed()));
        return present;
    }

    private boolean isWithin(Caps caps, LimitPlan plan, Consumer<String> report) {
        List<Caps.Excess> found = caps.against(plan, environment.ticker());
        found.forEach(excess -> report.accept(excess.field() + " " + excess.rule() + ", was " + excess.value()));
        return found.isEmpty();
    }

    /** The plans of a document that can be put in force; what is wrong with the others is added to the problems. */
    Map<String, LimitPlan> buildable(String source, LimitsDocument document, List<Problem> problems) {
        Map<String, LimitPlan> good = new TreeMap<>();
        document.limits().forEach((name, plan) -> {
            if (isSame(plan, plans.get(name)) || isBuildable(source, plan, problems)) {
                good.put(name, plan);
            }
        });
        return good;
    }

    private boolean isBuildable(String source, LimitPlan plan, List<Problem> problems) {
        NamedLimit present = limits.get(plan.name());
        try {
            plan.spec().create(environment.ticker());
            List<Caps.Excess> found =
                    present == null ? List.of() : present.target().caps().against(plan, environment.ticker());
            found.forEach(excess -> problems.add(
                    new Problem(source, 0, 0, plan.name(), excess.field(), excess.rule(), excess.value())));
            return found.isEmpty();
        } catch (Throwable t) {
            problems.add(problem(source, plan.name(), t.getMessage()));
            return false;
        }
    }

    private static Problem problem(String source, String name, @Nullable String message) {
        return new Problem(source, 0, 0, name, "", "cannot be built: " + message, "");
    }

    /**
     * Puts plans in force: those that are the same are left alone, those that are missing and not faulty go.
     *
     * @return what is different
     */
    List<Difference> apply(
            String source, Map<String, LimitPlan> wanted, LimitsDocument document, List<Problem> problems) {
        Map<String, LimitPlan> before = plans;
        Map<String, LimitPlan> next = new TreeMap<>(before);
        next.keySet()
                .removeIf(name -> !document.limits().containsKey(name)
                        && !document.faulty().contains(name));
        next.putAll(wanted);
        plans = Map.copyOf(next);
        List<Difference> differences = new ArrayList<>();
        TreeSet<String> names = new TreeSet<>(before.keySet());
        names.addAll(next.keySet());
        for (String name : names) {
            LimitPlan old = before.get(name);
            LimitPlan plan = next.get(name);
            if (!isSame(plan, old)) {
                List<String> failures = put(name, plan);
                failures.forEach(failure -> problems.add(problem(source, name, failure)));
                differences.addAll(differences(name, old, plan));
            }
        }
        return differences;
    }

    private static boolean isSame(@Nullable LimitPlan plan, @Nullable LimitPlan other) {
        return Objects.equals(plan, other)
                || (plan != null && other != null && plan.settings().equals(other.settings()));
    }

    private List<String> put(String name, @Nullable LimitPlan plan) {
        NamedLimit present = limits.get(name);
        if (present == null) {
            return plan == null ? List.of() : create(name, plan);
        }
        if (plan == null && present.target().declared() == null) {
            limits.remove(name, present);
            present.close();
            return List.of();
        }
        return present.change(before -> before.with(plan));
    }

    private List<String> create(String name, LimitPlan plan) {
        NamedLimit created = new NamedLimit(name, new NamedLimit.Target(null, Caps.NONE, plan, false), environment);
        NamedLimit declared = limits.putIfAbsent(name, created);
        if (declared != null) {
            created.limiter().close();
            return declared.change(before -> before.with(plan));
        }
        return created.start();
    }

    private static List<Difference> differences(String name, @Nullable LimitPlan old, @Nullable LimitPlan plan) {
        Map<String, String> before = old == null ? Map.of() : old.settings();
        Map<String, String> after = plan == null ? Map.of() : plan.settings();
        TreeSet<String> paths = new TreeSet<>(before.keySet());
        paths.addAll(after.keySet());
        return paths.stream()
                .filter(path -> !Objects.equals(before.get(path), after.get(path)))
                .map(path -> new Difference(name, path, before.getOrDefault(path, ""), after.getOrDefault(path, "")))
                .toList();
    }

    void close() {
        closed = true;
        limits.values().forEach(NamedLimit::close);
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the registry is closed");
        }
    }
}
