package dev.weir.named.backend;

import dev.weir.internal.Require;
import dev.weir.keyed.HeavyHitters;
import dev.weir.named.backend.ChangeLog.Cause;
import dev.weir.named.backend.GivenStore.Setup;
import dev.weir.named.backend.WantedSettings.Declared;
import dev.weir.named.backend.WantedSettings.Hand;
import dev.weir.named.plan.Caps;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.Nearest;
import dev.weir.named.plan.Problem;
import dev.weir.named.status.ConfigEvent.Difference;
import dev.weir.named.status.Explanation;
import dev.weir.named.status.LimitChange.Writer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The entries of a registry by name, each of which is there for ever. Thread-safe; documents are applied by one thread at a time. */
public final class NameTable {
    /** The source of events of what code declares. */
    private static final String CODE = "code";

    private static final int MAX_LISTED = 30;

    private final Map<String, NamedEntry> entries = new ConcurrentHashMap<>();
    private final Environment environment;
    private final Consumer<NamedEntry> listener;
    /* Of names without settings. A later process starts higher, unless its clock is behind: a revision of this one fits none there. */
    private final long firstRevision;
    /* What the document in force says, for names that code declares later. */
    private volatile Map<String, LimitPlan> plans = Map.of();
    /* A declaration that reads the one before finds settings that are older still. */
    private volatile Map<String, LimitPlan> earlier = Map.of();
    private volatile Plans document = Plans.NONE;
    /* Waits for the first document; says what else there is to say of a name that is not known. */
    private volatile Supplier<String> first = () -> "";
    private volatile List<String> orphans = List.of();
    private volatile List<Problem> problems = List.of();
    /*
     * The names that the document which is being applied adds: nobody sees them before all are there. A set of its own for each
     * document, so that names() knows whether it has seen one while it was applied.
     */
    private volatile Set<String> arriving = new HashSet<>();
    /* Written before the entries are closed, read after an entry was made: one of the two closes it. */
    private volatile boolean closed;

    /**
     * The plans that one document has for names, without those that have a problem: these names are faulty, and keep their last plans.
     * Version, author and reason are empty where they are unknown.
     */
    public record Plans(
            String version,
            String author,
            String reason,
            Map<String, LimitPlan> limits,
            Set<String> removed,
            Set<String> faulty) {
        public static final Plans NONE = new Plans("", "", "", Map.of(), Set.of(), Set.of());
    }

    /** An empty table, whose listener is told of each entry before others see it. */
    public NameTable(Environment environment, Consumer<NamedEntry> listener) {
        this.environment = environment;
        this.listener = listener;
        firstRevision = micros(environment.clock().instant());
    }

    /* In JSON, such a number is exact for 200 years. */
    private static long micros(Instant now) {
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }

    public Environment environment() {
        return environment;
    }

    /** Has those who ask for a name that is not known wait for the first document, which returns what else there is to say. */
    public void awaiting(Supplier<String> document) {
        first = document;
    }

    /** The entry of this name; throws if there never was one. */
    public NamedEntry entry(String name) {
        NamedEntry present = find(Objects.requireNonNull(name, "name"));
        if (present != null) {
            return present;
        }
        String more = first.get();
        NamedEntry found = find(name);
        if (found == null) {
            String why = problems.stream()
                    .filter(problem -> problem.limiter().equals(name))
                    .findFirst()
                    .map(problem -> ", whose settings are wrong: " + problem)
                    .orElse("");
            List<String> known = names();
            String among = known.size() > MAX_LISTED ? known.size() + " names" : known.toString();
            String rule = known.isEmpty() ? "in the document or declared by code" : "one of " + among;
            throw new IllegalArgumentException(
                    "name must be " + rule + ", was " + plain(name) + Nearest.to(name, known) + why + more);
        }
        return found;
    }

    private static String plain(String name) {
        return name.replaceAll("\\p{Cc}", "?");
    }

    private @Nullable NamedEntry find(String name) {
        NamedEntry found = entries.get(name);
        return found != null && isVisible(found, arriving) ? found : null;
    }

    private static boolean isVisible(NamedEntry entry, Set<String> arriving) {
        return !arriving.contains(entry.name()) || entry.target().declared() != null;
    }

    /** The names that have settings now, sorted. */
    public List<String> names() {
        while (true) {
            Set<String> hidden = arriving;
            List<String> names = names(entry -> entry.target().plan() != null && isVisible(entry, hidden));
            if (arriving == hidden) {
                return names;
            }
        }
    }

    /** The names that the document in force does not have, and whose last good settings stay. */
    public List<String> orphans() {
        return orphans;
    }

    private List<String> names(Predicate<NamedEntry> which) {
        return entries.values().stream()
                .filter(which)
                .map(NamedEntry::name)
                .sorted()
                .toList();
    }

    /** Declares a default; what the document says comes first if it is within the caps. Throws as {@code Names.limiter} does. */
    public void declare(String name, Declared declared, Caps caps) {
        Require.that(plain(name).equals(name), "name must not have control characters", plain(name));
        build(declared.plan(), declared.setup());
        List<Problem> over = excess("declared", caps, declared.plan());
        if (!over.isEmpty()) {
            throw new IllegalArgumentException("declared must be within its own caps: " + over);
        }
        while (true) {
            if (closed) {
                throw new IllegalStateException("the registry is closed");
            }
            LimitPlan said = plans.get(name);
            List<Caps.Excess> excess = said == null ? List.of() : caps.against(said, environment.ticker());
            LimitPlan within = excess.isEmpty() ? said : environment.within(caps, earlier.get(name));
            boolean isExcess = !excess.isEmpty();
            boolean[] isHandOver = new boolean[1];
            entered(name).change(new Cause(Writer.CODE, "declared a default"), target -> {
                LimitPlan last = isExcess ? environment.within(caps, target.document()) : null;
                WantedSettings next = target.declared(declared, caps, last == null ? within : last);
                Hand hand = next.override();
                isHandOver[0] = hand != null && environment.within(caps, hand.plan()) == null;
                return isHandOver[0] ? next.with((Hand) null) : next;
            });
            if (isHandOver[0]) {
                environment.refused(CODE, name, "override ended, because it exceeds the caps of the code");
            }
            if (orphans.contains(name)) {
                orphans = names(entry -> entry.target().orphan());
            }
            if (plans.get(name) == said) {
                excess.forEach(each ->
                        environment.refused(CODE, name, each.field() + " " + each.rule() + ", was " + each.value()));
                return;
            }
        }
    }

    private NamedEntry entered(String name) {
        NamedEntry entry = entries.computeIfAbsent(name, this::made);
        if (closed) {
            entry.close();
        }
        return entry;
    }

    private NamedEntry made(String name) {
        NamedEntry entry = new NamedEntry(name, environment, firstRevision);
        listener.accept(entry);
        return entry;
    }

    /** The plans of a document that can be put in force; what is wrong with the others is added to the problems. */
    public Map<String, LimitPlan> buildable(String source, Plans wanted, List<Problem> found) {
        Map<String, LimitPlan> good = new TreeMap<>();
        wanted.limits().forEach((name, plan) -> {
            if (plan.isSame(said(name)) || isBuildable(source, plan, found)) {
                good.put(name, plan);
            }
        });
        return good;
    }

    private @Nullable LimitPlan said(String name) {
        NamedEntry present = entries.get(name);
        return present == null ? null : present.target().document();
    }

    private boolean isBuildable(String source, LimitPlan plan, List<Problem> found) {
        List<Problem> wrong = new ArrayList<>(unbuildable(source, plan));
        NamedEntry present = entries.get(plan.name());
        if (wrong.isEmpty() && present != null) {
            wrong.addAll(excess(source, present.target().caps(), plan));
        }
        found.addAll(wrong);
        return wrong.isEmpty();
    }

    /** The problems that keep a plan from being put in force, but for the caps of its name; empty = none. */
    List<Problem> unbuildable(String source, LimitPlan plan) {
        try {
            LimitPlan.Stored stored = plan.stored();
            build(plan, stored == null ? null : environment.store().setup(plan.spec(), stored));
            return environment.shareProblems(source, plan);
        } catch (Throwable t) {
            environment.failures().getAndIncrement();
            return List.of(problem(source, plan, t));
        }
    }

    void checkCaps(Caps caps, LimitPlan plan) {
        List<Problem> excess = excess("override", caps, plan);
        if (!excess.isEmpty()) {
            throw new IllegalArgumentException("entry must be within the caps of the code: " + excess);
        }
    }

    /* Makes what the plan needs, once, and lets go of it. */
    private void build(LimitPlan plan, @Nullable Setup setup) {
        if (setup != null) {
            environment.store().limiter(plan.name(), setup).close();
            return;
        }
        Objects.requireNonNull(plan.spec().create(environment.ticker()), "strategy");
        LimitPlan.Adaptive adaptive = plan.find(LimitPlan.ADAPTIVE);
        if (adaptive != null) {
            Objects.requireNonNull(adaptive.controller().get(), "controller");
            adaptive.signals().forEach(signal -> Objects.requireNonNull(signal.get(), "signal"));
        }
    }

    private List<Problem> excess(String source, Caps caps, LimitPlan plan) {
        return caps.against(plan, environment.ticker()).stream()
                .map(excess -> new Problem(source, 0, 0, plan.name(), excess.field(), excess.rule(), excess.value()))
                .toList();
    }

    private static Problem problem(String source, LimitPlan plan, Throwable cause) {
        LimitPlan.Stored stored = plan.stored();
        String message = cause.getMessage();
        String rule = stored != null && message != null && cause instanceof IllegalArgumentException
                ? message
                : "cannot be built: " + message;
        int line = stored == null ? 0 : stored.line();
        int column = stored == null ? 0 : stored.column();
        return new Problem(source, line, column, plan.name(), "", rule, "");
    }

    /**
     * Puts plans in force: those that are the same are left alone. A name that is missing becomes an orphan, unless code declares
     * a default for it, or the document removes it.
     *
     * @param wanted those of the document that are {@link #buildable}
     * @return what is different
     */
    public List<Difference> apply(String source, Map<String, LimitPlan> wanted, Plans next, List<Problem> found) {
        Cause cause = new Cause(Writer.DOCUMENT, next.version(), next.author(), next.reason());
        TreeSet<String> names = new TreeSet<>(plans.keySet());
        names.addAll(wanted.keySet());
        names.addAll(next.removed());
        Map<String, LimitPlan> said = withFaulty(next);
        earlier = replaced(said);
        plans = said;
        List<Difference> differences = new ArrayList<>();
        Set<String> added = new HashSet<>(wanted.keySet());
        added.removeAll(entries.keySet());
        arriving = added;
        for (String name : names) {
            LimitPlan old = said(name);
            LimitPlan plan = wanted.get(name);
            if (plan != null && plan.isSame(old) && !entered(name).target().orphan()) {
                continue;
            }
            put(source, name, plan, next, cause, found);
            differences.addAll(ChangeLog.differences(name, old, said(name)));
        }
        arriving = new HashSet<>();
        document = next;
        orphans = names(entry -> entry.target().orphan());
        problems = List.copyOf(found);
        return differences;
    }

    /* The plans of the document and, of limits that are faulty in it, those before it. */
    private Map<String, LimitPlan> withFaulty(Plans next) {
        Map<String, LimitPlan> said = new HashMap<>(next.limits());
        for (String name : next.faulty()) {
            LimitPlan old = plans.get(name);
            if (old != null) {
                said.put(name, old);
            }
        }
        return said;
    }

    /* For caps that are declared later, as code does after a restart: what each limit was before it was what it is. */
    private Map<String, LimitPlan> replaced(Map<String, LimitPlan> said) {
        Map<String, LimitPlan> all = new HashMap<>(earlier);
        all.keySet().retainAll(said.keySet());
        said.forEach((name, plan) -> {
            LimitPlan old = plans.get(name);
            if (old != null && !plan.isSame(old)) {
                all.put(name, old);
            }
        });
        return all;
    }

    private void put(
            String source, String name, @Nullable LimitPlan plan, Plans next, Cause cause, List<Problem> found) {
        if (plan == null && (next.limits().containsKey(name) || next.faulty().contains(name))) {
            return;
        }
        if (plan == null && !entries.containsKey(name)) {
            return;
        }
        boolean isRemoved = next.removed().contains(name);
        List<Problem> excess = new ArrayList<>();
        UnaryOperator<WantedSettings> change = before -> {
            excess.clear();
            if (plan == null) {
                boolean isOrphan = before.document() != null && before.declared() == null && !isRemoved;
                return isOrphan ? before.orphaned() : before.with(null, cause.version());
            }
            // The caps may have been declared a moment ago.
            excess.addAll(excess(source, before.caps(), plan));
            boolean isSame = plan.isSame(before.document());
            return excess.isEmpty() ? before.with(isSame ? before.document() : plan, cause.version()) : before;
        };
        List<String> failures = new ArrayList<>();
        environment.guarded(failures, () -> failures.addAll(entered(name).change(cause, change)));
        found.addAll(excess);
        failures.forEach(failure -> found.add(new Problem(source, 0, 0, name, "", "cannot be built: " + failure, "")));
    }

    public Explanation explain(String name) {
        NamedEntry entry = entry(name);
        Plans said = document;
        return entry.explain(said.limits().get(name), said.version());
    }

    /** The heaviest keys of a limit, as this process counts it; null if nobody records them. Does not wait for a document. */
    @Nullable
    public HeavyHitters hotKeys(String name) {
        NamedEntry present = entries.get(name);
        LocalLimit local = present == null ? null : present.local();
        return local == null ? null : local.hotKeys();
    }

    public boolean isClosed() {
        return closed;
    }

    public void close() {
        closed = true;
        // One that is entered from now on is closed by the thread that enters it.
        entries.values().forEach(NamedEntry::close);
    }
}
