package dev.weir.config;

import dev.weir.config.ConfigEvent.Difference;
import dev.weir.config.document.LimitPlan;
import dev.weir.config.document.LimitsDocument;
import dev.weir.config.document.Problem;
import dev.weir.spi.StrategySpec;
import java.util.ArrayList;
import java.util.HashMap;
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
    /* A declaration that reads the one before finds settings that are older still. */
    private volatile Map<String, LimitPlan> earlier = Map.of();
    /* Written before the entries are closed, read after an entry was made: one of the two closes it. */
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

    /**
     * Declares a default; what the document says comes first if it is within the caps.
     *
     * @param report is told what exceeds the caps
     */
    NamedLimit declare(String name, StrategySpec declared, Caps caps, Consumer<String> report) {
        while (true) {
            checkOpen();
            LimitPlan said = plans.get(name);
            List<Caps.Excess> excess = said == null ? List.of() : caps.against(said, environment.ticker());
            LimitPlan plan = excess.isEmpty() ? said : within(caps, earlier.get(name));
            NamedLimit present = limits.get(name);
            if (present == null) {
                present = entered(name, new NamedLimit.Target(declared, caps, plan, false), new ArrayList<>());
            } else {
                boolean isExcess = !excess.isEmpty();
                present.change(target -> declared(target, declared, caps, plan, isExcess));
            }
            if (present.target().closed()) {
                limits.remove(name, present);
            } else if (plans.get(name) == said) {
                excess.forEach(each -> report.accept(each.field() + " " + each.rule() + ", was " + each.value()));
                return present;
            }
        }
    }

    /* What the document says may exceed the caps; then what is in force remains so, or what was before, if that does not. */
    private NamedLimit.Target declared(
            NamedLimit.Target target, StrategySpec declared, Caps caps, @Nullable LimitPlan plan, boolean isExcess) {
        LimitPlan last = isExcess ? within(caps, target.plan()) : null;
        return new NamedLimit.Target(declared, caps, last == null ? plan : last, target.closed());
    }

    private @Nullable LimitPlan within(Caps caps, @Nullable LimitPlan plan) {
        return plan != null && caps.against(plan, environment.ticker()).isEmpty() ? plan : null;
    }

    /** The limit of this name that is there, or a new one; what failed is added. */
    private NamedLimit entered(String name, NamedLimit.Target target, List<String> failures) {
        NamedLimit created = new NamedLimit(name, target, environment);
        NamedLimit present = limits.putIfAbsent(name, created);
        if (present != null) {
            created.close();
            return present;
        }
        failures.addAll(created.start());
        if (closed) {
            created.close();
        }
        return created;
    }

    /** The plans of a document that can be put in force; what is wrong with the others is added to the problems. */
    Map<String, LimitPlan> buildable(String source, LimitsDocument document, List<Problem> problems) {
        Map<String, LimitPlan> good = new TreeMap<>();
        document.limits().forEach((name, plan) -> {
            if (isSame(plan, inForce(name)) || isBuildable(source, plan, problems)) {
                good.put(name, plan);
            }
        });
        return good;
    }

    private @Nullable LimitPlan inForce(String name) {
        NamedLimit present = limits.get(name);
        return present == null ? null : present.target().plan();
    }

    private boolean isBuildable(String source, LimitPlan plan, List<Problem> problems) {
        try {
            plan.spec().create(environment.ticker());
            LimitPlan.Adaptive adaptive = plan.adaptive();
            if (adaptive != null) {
                Objects.requireNonNull(adaptive.controller().get(), "controller");
                adaptive.signals().forEach(signal -> Objects.requireNonNull(signal.get(), "signal"));
            }
            NamedLimit present = limits.get(plan.name());
            List<Problem> found = new ArrayList<>(environment.shares().problems(source, plan));
            if (present != null) {
                found.addAll(excess(source, present.target().caps(), plan));
            }
            problems.addAll(found);
            return found.isEmpty();
        } catch (Throwable t) {
            environment.failures().getAndIncrement();
            problems.add(problem(source, plan.name(), t.getMessage()));
            return false;
        }
    }

    private List<Problem> excess(String source, Caps caps, LimitPlan plan) {
        return caps.against(plan, environment.ticker()).stream()
                .map(excess -> new Problem(source, 0, 0, plan.name(), excess.field(), excess.rule(), excess.value()))
                .toList();
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
        Map<String, LimitPlan> said = said(document.limits(), document, plans);
        earlier = replaced(said);
        plans = said;
        List<Difference> differences = new ArrayList<>();
        TreeSet<String> names = new TreeSet<>(limits.keySet());
        names.addAll(wanted.keySet());
        for (String name : names) {
            LimitPlan plan = wanted.get(name);
            LimitPlan old = inForce(name);
            boolean isKept = plan == null
                    && (document.limits().containsKey(name) || document.faulty().contains(name));
            if (!isKept && !isSame(plan, old)) {
                put(source, name, plan, problems);
                differences.addAll(differences(name, old, inForce(name)));
            }
        }
        return differences;
    }

    /* For caps that are declared later, as code does after a restart: what each limit was before it was what it is. */
    private Map<String, LimitPlan> replaced(Map<String, LimitPlan> said) {
        Map<String, LimitPlan> all = new HashMap<>(earlier);
        all.keySet().retainAll(said.keySet());
        said.forEach((name, plan) -> {
            LimitPlan old = plans.get(name);
            if (old != null && !isSame(plan, old)) {
                all.put(name, old);
            }
        });
        return all;
    }

    /** These plans, and of limits that are faulty in the document those before it. */
    static Map<String, LimitPlan> said(
            Map<String, LimitPlan> wanted, LimitsDocument document, Map<String, LimitPlan> before) {
        Map<String, LimitPlan> said = new HashMap<>(wanted);
        for (String name : document.faulty()) {
            LimitPlan old = before.get(name);
            if (old != null) {
                said.put(name, old);
            }
        }
        return said;
    }

    static boolean isSame(@Nullable LimitPlan plan, @Nullable LimitPlan other) {
        return plan == other
                || (plan != null && other != null && plan.settings().equals(other.settings()));
    }

    private void put(String source, String name, @Nullable LimitPlan plan, List<Problem> problems) {
        List<String> failures = new ArrayList<>();
        List<Problem> excess = new ArrayList<>();
        environment.guarded(failures, () -> {
            NamedLimit present = limits.get(name);
            if (present == null && plan != null) {
                present = entered(name, new NamedLimit.Target(null, Caps.NONE, plan, false), failures);
            }
            if (present != null) {
                change(present, source, plan, excess, failures);
            }
        });
        problems.addAll(excess);
        failures.forEach(failure -> problems.add(problem(source, name, failure)));
    }

    private void change(
            NamedLimit present, String source, @Nullable LimitPlan plan, List<Problem> excess, List<String> failures) {
        failures.addAll(present.change(before -> {
            excess.clear();
            if (plan != null) {
                // The caps may have been declared a moment ago.
                excess.addAll(excess(source, before.caps(), plan));
            }
            return excess.isEmpty() ? before.with(plan) : before;
        }));
        if (present.target().closed()) {
            limits.remove(present.limiter().name(), present);
        }
    }

    static List<Difference> differences(String name, @Nullable LimitPlan old, @Nullable LimitPlan plan) {
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
        // One that is entered from now on is closed by the thread that enters it.
        limits.values().forEach(NamedLimit::close);
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the registry is closed");
        }
    }
}
