package dev.weir.config.document;

import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Signal;
import dev.weir.adaptive.controller.Crest;
import dev.weir.algorithms.Closed;
import dev.weir.algorithms.Open;
import dev.weir.algorithms.WarmUp;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.ListNode;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import dev.weir.keyed.Keyed;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.LimitPlan.Adaptive;
import dev.weir.named.plan.LimitPlan.KeyMissing;
import dev.weir.named.plan.LimitPlan.Pool;
import dev.weir.named.plan.LimitPlan.Share;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The table of the fields of documents that no factory has. The reader, the schema, the reference and the suggestions for unknown
 * fields walk it. An option of a limit is one constant and one line of {@code OPTIONS} here, and a constant of {@link LimitPlan},
 * which is read where it takes effect, in {@code dev.weir.named}: one of the limiter in {@code LocalLimit.applied}, of requests,
 * also to a store, in {@code Answering}, of keys in {@code KeyRule}, of a preview in {@code Doubts}.
 */
public final class DocumentFields {
    private static final long MOST = Integer.MAX_VALUE;

    static final String NAME = "a name of 1 to 128 letters, digits, dots, hyphens or underscores";
    static final String NAME_PATTERN = "[A-Za-z0-9._-]{1,128}";
    static final ValueType<String> LIMIT_NAME = new ValueType.Scalar<>(NAME, NAME_PATTERN, DocumentFields::checkedName);

    /** The names that are removed on purpose. */
    public static final Field<List<String>> REMOVED = Field.list("removed", LIMIT_NAME)
            .describedAs(
                    "The names of limits that are removed on purpose. A limit that is only missing keeps its last setting.");

    static final Field<Long> VERSION = Field.count("version")
            .describedAs("A number that each change must raise. Without one, the revision of the server counts.")
            .orElse(0L);
    static final Field<Long> REPLACES = Field.count("replaces")
            .describedAs(
                    "The version in force that this one replaces, if it is lower, or higher by more than 1,000,000: "
                            + "the way back from a version that was mistyped.")
            .orElse(0L);
    static final Field<String> AUTHOR = Field.text("author")
            .describedAs("Who wrote it, for logs and events.")
            .orElse("");
    static final Field<String> REASON =
            Field.text("reason").describedAs("Why, for logs and events.").orElse("");
    static final Field<Double> FOR_PERCENT = Field.number("percent")
            .describedAs("The share of the instances that the document is for, in per cent.")
            .atLeast(0.0)
            .atMost(100.0)
            .orElse(100.0);
    static final Field<ReadValues> DOCUMENT = ReadValues.section(
                    "document",
                    "a map",
                    null,
                    List.of(VERSION, REPLACES, AUTHOR, REASON, FOR_PERCENT),
                    values -> values)
            .describedAs("What the document says of itself.");

    /** The section in which a document tells of itself. */
    public static final Field<?> HEADER = DOCUMENT;

    static final Field<Double> ENFORCE = Field.share(LimitPlan.ENFORCE.name())
            .describedAs("The share of requests for which it is enforced; 0 = it only counts what it would refuse.")
            .orElse(1.0);
    static final Field<Long> TRACK_PERMITS = Field.count(LimitPlan.TRACK_PERMITS.name())
            .describedAs("Tracks one held permit in so many, to find permits that are not released; 0 = none.")
            .atLeast(0L)
            .atMost(MOST)
            .orElse(0L);
    static final Field<Boolean> HOT_KEYS = Field.flag(LimitPlan.HOT_KEYS.name())
            .describedAs("Whether the keys with the most requests are recorded. Only with key.")
            .orElse(false);
    static final Field<KeyMissing> KEY_MISSING = Field.choice(LimitPlan.KEY_MISSING.name(), KeyMissing.class)
            .describedAs("What becomes of a request without key: refuse; share: all of them have one key; "
                    + "skip: the limit does not count it. Only with key.")
            .orElse(KeyMissing.REFUSE);
    static final Field<QueueSpec> QUEUE = QueueFields.QUEUE;

    private static final Field<Long> MIN =
            Field.count("min").describedAs("The lowest limit.").orElse(1L);
    private static final Field<Long> MAX =
            Field.count("max").describedAs("The highest limit, at least min.").orElse(10_000L);
    private static final Field<Double> STEP = Field.number("step")
            .describedAs("The largest factor by which one update may change it, more than 1.")
            .orElse(4.0);
    private static final Field<Controller> CONTROLLER =
            Field.named("controller", Controller.class).describedAs("What finds the limit. Default: crest.");
    private static final String CREST = "crest";
    private static final Field<Long> INSTANCES = Field.count("instances")
            .describedAs(
                    "How many instances there are before the same server; 1 = only this one, which spares joint dips. "
                            + "Only for crest. Default: right for any number.");
    private static final ValueType<Signal> SIGNAL = new ValueType.Named<>(Signal.class);
    private static final Field<List<Signal>> SIGNALS =
            Field.list("signals", SIGNAL).describedAs("The signals that the controller reads.");

    static final Field<Adaptive> ADAPTIVE = ReadValues.section(
                    LimitPlan.ADAPTIVE.name(),
                    "true, or a map with min and max",
                    Field.flag("adaptive").describedAs("Whether the limit is adapted."),
                    List.of(MIN, MAX, STEP, CONTROLLER, INSTANCES, SIGNALS),
                    DocumentFields::adaptive)
            .describedAs(
                    "What adapts the limit while it runs; true = crest within the default bounds. Brings a queue.");

    private static final Field<Long> THREADS =
            Field.count("threads").describedAs("How many threads there are.").atMost(MOST);
    private static final Field<Long> CORE = Field.count("core")
            .describedAs("How many threads are kept while there is nothing to do. Default: max.")
            .atLeast(0L)
            .atMost(MOST);
    private static final Field<Long> MAX_THREADS = Field.count("max")
            .describedAs("How many threads there are at most.")
            .atMost(MOST);
    private static final Field<Long> QUEUE_CAPACITY = Field.count("queue-capacity")
            .describedAs("How many tasks may wait for a thread.")
            .atLeast(0L)
            .atMost(MOST)
            .orElse(0L);
    private static final Field<Duration> KEEP_ALIVE = Field.duration("keep-alive")
            .describedAs("How long a thread beyond core waits for work.")
            .orElse(Duration.ofMinutes(1));
    static final Field<Pool> EXECUTOR = ReadValues.section(
                    LimitPlan.EXECUTOR.name(),
                    "a map, or only its threads",
                    THREADS,
                    List.of(THREADS, CORE, MAX_THREADS, QUEUE_CAPACITY, KEEP_ALIVE),
                    DocumentFields::pool)
            .describedAs("The threads of the limiter's executor: threads alone, or core and max.");

    static final Field<Share> SHARE = StoreFields.SHARE;

    /** The fields of a limit, and of each limit in another one, around those of its algorithm. */
    public static final List<Field<?>> LIMIT = LimitReader.FIELDS;

    /** The algorithm of a limit that names none, by the field that only it has. */
    public static final Map<String, String> DEFAULTS = LimitReader.DEFAULTS;

    private static final Rule LOCAL =
            not("must not be given with scope: store", limit -> StoreFields.isStored(limit.map));
    private static final Rule COUNTED_BY_A_STORE =
            not("must not be given without scope: store", limit -> StoreFields.isLocal(limit.map));
    private static final Rule KEYED = not("must not be given without key", limit -> !KeyReader.isKeyed(limit.map));
    private static final Rule UNSHARED =
            not("must not be given with share", limit -> limit.map.get(SHARE.name()) != null);
    private static final Rule WITH_A_LIMIT = not(
            "must not be given with budget or throttle: they have no limit that could be set",
            limit -> limit.spec != null
                    && LimitReader.isOfClient(limit.spec.parts().get(0)));
    private static final Rule NOT_BEFORE_CALLS = not(
            "must not be given with budget or throttle: a retry that waits is in the way of first attempts",
            limit -> limit.values.find(QUEUE).isPresent()
                    && limit.spec != null
                    && limit.spec.parts().stream().anyMatch(LimitReader::isOfClient));
    private static final Rule ADAPTABLE = not(
            "must not be given with algorithm closed or open: nothing can be adapted",
            limit -> limit.values.find(ADAPTIVE).isPresent()
                    && limit.spec != null
                    && isFixed(limit.spec.parts().get(0)));

    /** The fields of a limit in the section {@code limits}, and what must hold where one is given. */
    private static final List<Option> OPTIONS = List.of(
            option(ENFORCE, LOCAL),
            option(TRACK_PERMITS, LOCAL),
            option(HOT_KEYS, LOCAL, KEYED),
            option(KEY_MISSING, KEYED),
            option(StoreFields.SCOPE, StoreFields::check),
            option(LimitReader.ALL_OF),
            option(KeyReader.KEY),
            option(KeyReader.MAX_KEYS, LOCAL),
            option(KeyReader.DEBT_CELLS, LOCAL),
            option(LimitReader.WARM_UP, UNSHARED),
            option(QUEUE, LOCAL, NOT_BEFORE_CALLS),
            option(ADAPTIVE, LOCAL, UNSHARED, ADAPTABLE, WITH_A_LIMIT, DocumentFields::checkSignals),
            option(EXECUTOR, LOCAL),
            option(StoreFields.MODE, COUNTED_BY_A_STORE),
            option(StoreFields.WHEN_AWAY, COUNTED_BY_A_STORE),
            option(SHARE, LOCAL, WITH_A_LIMIT, StoreFields::checkShare));

    static final Field<Double> PERCENT = Field.number("percent")
            .describedAs("The share of the instances, in per cent.")
            .atLeast(0.0)
            .atMost(100.0)
            .needed();

    static final Field<StrategySpec> TO = Field.limit("to")
            .describedAs("The fields that these have in place of those outside. Default: the limit as it is; "
                    + "the other instances then only count what it would refuse.");
    static final ValueType.Section<Double> ROLLOUT_MAP = new ValueType.Section<>(
            "a map, or only its percent", List.of(PERCENT, TO), PERCENT, values -> values.get(PERCENT));
    static final Field<Double> ROLLOUT = Field.of("rollout", ROLLOUT_MAP)
            .describedAs("For how many instances a change is; the others have what stands outside of it.");

    private static final List<Field<?>> ALL =
            OPTIONS.stream().<Field<?>>map(Option::field).toList();

    /** A limit in the section {@code limits}: its options, and what is put in it beforehand. */
    public static final List<Field<?>> LIMITER = limiter();

    /** The options that are not those of each limit. */
    static final List<Field<?>> AROUND = around();

    /** The names that may stand in a limit beside the fields of its algorithm. */
    static final Set<String> BESIDE = LimitReader.beside(ALL);

    /** The paths of the fields in the sections of a limit, by plain name. */
    static final Map<String, List<String>> INSIDE = paths();

    private DocumentFields() {}

    private record Option(Field<?> field, List<Rule> rules) {}

    /** A rule for a limit as a whole where it has an option. */
    interface Rule {
        void check(Field<?> option, Whole limit);
    }

    /** A limit while it is read, with those of the values of {@link #AROUND} that are right. Without specification it has a problem. */
    record Whole(MapNode map, @Nullable StrategySpec spec, ReadValues values, Scope scope) {}

    private static Option option(Field<?> field, Rule... rules) {
        return new Option(field, List.of(rules));
    }

    private static Rule not(String rule, Predicate<Whole> isBroken) {
        return (option, limit) -> {
            if (isBroken.test(limit)) {
                limit.scope.refuse(limit.map, rule, List.of(option));
            }
        };
    }

    private static List<Field<?>> limiter() {
        List<Field<?>> fields = new ArrayList<>(ALL);
        fields.add(0, Templates.TEMPLATE);
        fields.add(ROLLOUT);
        return List.copyOf(fields);
    }

    private static List<Field<?>> around() {
        Set<String> ofEach = names(LIMIT);
        return ALL.stream().filter(field -> !ofEach.contains(field.name())).toList();
    }

    static void check(Whole limit) {
        for (Option option : OPTIONS) {
            if (limit.map.get(option.field.name()) != null) {
                option.rules.forEach(rule -> rule.check(option.field, limit));
            }
        }
    }

    private static boolean isFixed(StrategySpec part) {
        StrategySpec one = part instanceof Keyed keyed ? keyed.perKey().parts().get(0) : part;
        StrategySpec warm = one instanceof WarmUp warming ? warming.target() : one;
        return warm instanceof Closed || warm instanceof Open;
    }

    /** The names of fields, in their order. */
    public static Set<String> names(List<Field<?>> fields) {
        return fields.stream().map(Field::name).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static Map<String, List<String>> paths() {
        Map<String, List<String>> paths = new HashMap<>();
        for (Field<?> field : ALL) {
            if (field.type() instanceof ValueType.Section<?> section) {
                section.fields()
                        .forEach(
                                inner -> paths.computeIfAbsent(Suggestion.plain(inner.name()), any -> new ArrayList<>())
                                        .add(field.name() + "." + inner.name()));
            }
        }
        return paths;
    }

    private static @Nullable Adaptive adaptive(ReadValues values) {
        long least = values.get(MIN);
        long most = values.get(MAX);
        if (most < least) {
            values.problem(MAX, "must be >= min, which is " + least, Long.toString(most));
            return null;
        }
        Bounds bounds = new Bounds(least, most, values.get(STEP));
        Supplier<? extends Controller> controller = controller(values);
        return controller == null
                ? null
                : new Adaptive(bounds, controller, signals(values.map().get(SIGNALS.name()), at(SIGNALS, values)));
    }

    private static @Nullable Supplier<? extends Controller> controller(ReadValues values) {
        Node named = values.map().get(CONTROLLER.name());
        Optional<Long> instances = values.find(INSTANCES);
        if (named == null || named.is(CREST)) {
            return instances.orElse(0L) == 1 ? Crest::alone : Crest::new;
        }
        if (instances.isPresent()) {
            String rule =
                    "must be given without controller, or with crest; in others it is { name: crest, instances: 1 }";
            values.problem(INSTANCES, rule, "");
            return null;
        }
        return again(CONTROLLER.type(), named, at(CONTROLLER, values));
    }

    private static Scope at(Field<?> field, ReadValues values) {
        return values.scope().at(field.name());
    }

    private static List<Supplier<? extends Signal>> signals(@Nullable Node node, Scope scope) {
        List<Supplier<? extends Signal>> signals = new ArrayList<>();
        if (node instanceof ListNode list) {
            list.items().forEach(item -> signals.add(again(SIGNAL, item, scope.at(signals.size()))));
        } else if (node != null) {
            signals.add(again(SIGNAL, node, scope));
        }
        return List.copyOf(signals);
    }

    /* Each call creates all of it: a controller may be made of others, which must not serve two limits. */
    private static <T> Supplier<T> again(ValueType<T> type, Node node, Scope scope) {
        return () -> {
            Scope apart = scope.apart();
            T created = ValueReader.value(type, node, apart);
            if (created == null) {
                throw new IllegalStateException(String.valueOf(apart.problems().all()));
            }
            return created;
        };
    }

    /** Checks that the controller has its signals; a queue has one of its own. */
    private static void checkSignals(Field<?> field, Whole limit) {
        Adaptive adaptive = limit.values().find(ADAPTIVE).orElse(null);
        Node controller = limit.map().get(field.name()) instanceof MapNode map ? map.get(CONTROLLER.name()) : null;
        if (adaptive == null || controller == null) {
            return;
        }
        Scope scope = limit.scope().at(field.name()).at(CONTROLLER.name());
        Set<String> missing = scope.guarded(controller, () -> missing(adaptive, limit));
        if (missing != null && !missing.isEmpty()) {
            String rule = "must have its signal in the list 'signals'; " + Adaptive.QUEUE_DELAY + " needs a queue";
            scope.problem(controller.at(), rule, String.join(", ", missing));
        }
    }

    private static Set<String> missing(Adaptive adaptive, Whole limit) {
        Set<String> names = new TreeSet<>(adaptive.controller().get().signals());
        adaptive.signals().forEach(signal -> names.remove(signal.get().name()));
        Node queue = limit.map().get(QUEUE.name());
        if (queue == null ? isQueuedByAdaptive(limit) : !queue.is("false")) {
            names.remove(Adaptive.QUEUE_DELAY);
        }
        return names;
    }

    /* Unless the limit is wrong: then it is not known. */
    private static boolean isQueuedByAdaptive(Whole limit) {
        StrategySpec spec = limit.spec();
        return spec == null || QueueFields.byAdaptive(limit.map(), spec, limit.values()) != null;
    }

    private static @Nullable Pool pool(ReadValues values) {
        Optional<Long> threads = values.find(THREADS);
        Optional<Long> core = values.find(CORE);
        Optional<Long> max = values.find(MAX_THREADS);
        if (threads.isPresent() == max.isPresent() || (threads.isPresent() && core.isPresent())) {
            throw new IllegalArgumentException("must have threads, or core and max");
        }
        long most = threads.or(() -> max).orElse(1L);
        long least = core.orElse(most);
        if (least > most) {
            values.scope().at(CORE.name()).problem(values.map().at(), "must be <= max, which is " + most, "" + least);
            return null;
        }
        return new Pool((int) least, (int) most, Math.toIntExact(values.get(QUEUE_CAPACITY)), values.get(KEEP_ALIVE));
    }

    private static String checkedName(String name) {
        if (!name.matches(NAME_PATTERN)) {
            throw new IllegalArgumentException("must be " + NAME);
        }
        return name;
    }
}
