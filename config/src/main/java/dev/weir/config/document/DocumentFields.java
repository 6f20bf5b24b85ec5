package dev.weir.config.document;

import dev.weir.algorithms.Closed;
import dev.weir.algorithms.Open;
import dev.weir.algorithms.WarmUp;
import dev.weir.config.document.LimitPlan.Adaptive;
import dev.weir.config.document.LimitPlan.KeyMissing;
import dev.weir.config.document.LimitPlan.Pool;
import dev.weir.config.document.LimitPlan.Share;
import dev.weir.config.document.LimitsDocument.Header;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import dev.weir.keyed.Keyed;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.StrategySpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The table of the fields of documents that no factory has. The reader, the schema, the reference and the suggestions for unknown
 * fields walk it. An option of a limit is one constant and one line of {@code OPTIONS} here, and {@link LimitPlan#get} where it
 * takes effect.
 */
public final class DocumentFields {
    /** What a document says of itself. */
    public static final Field<Header> HEADER = Sections.HEADER;

    /** The names that are removed on purpose. */
    public static final Field<List<String>> REMOVED = Sections.REMOVED;

    static final Field<Double> ENFORCE = Field.share("enforce")
            .describedAs("The share of requests for which it is enforced; 0 = it only counts what it would refuse.")
            .orElse(1.0);
    static final Field<Long> TRACK_PERMITS = Field.count("track-permits")
            .describedAs("Tracks one held permit in so many, to find permits that are not released; 0 = none.")
            .atLeast(0L)
            .atMost((long) Integer.MAX_VALUE)
            .orElse(0L);
    static final Field<Boolean> HOT_KEYS = Field.flag("hot-keys")
            .describedAs("Whether the keys with the most requests are recorded. Only with key.")
            .orElse(false);
    static final Field<KeyMissing> KEY_MISSING = Field.choice("key-missing", KeyMissing.class)
            .describedAs("What becomes of a request without key: refuse; share: all of them have one key; "
                    + "skip: the limit does not count it. Only with key.")
            .orElse(KeyMissing.REFUSE);
    static final Field<QueueSpec> QUEUE = QueueFields.QUEUE;
    static final Field<Adaptive> ADAPTIVE = AdaptiveFields.ADAPTIVE;
    static final Field<Pool> EXECUTOR = QueueFields.EXECUTOR;
    static final Field<Share> SHARE = ClusterFields.SHARE;

    /** The fields of a limit, and of each limit in another one, around those of its algorithm. */
    public static final List<Field<?>> LIMIT =
            List.of(LimitReader.ALL_OF, KeyReader.KEY, KeyReader.MAX_KEYS, KeyReader.DEBT_CELLS, LimitReader.WARM_UP);

    private static final Rule LOCAL =
            not("must not be given with scope: cluster", limit -> ClusterFields.isCluster(limit.map));
    private static final Rule COUNTED_BY_A_STORE =
            not("must not be given without scope: cluster", limit -> ClusterFields.isLocal(limit.map));
    private static final Rule KEYED = not("must not be given without key", limit -> !KeyReader.isKeyed(limit.map));
    private static final Rule UNSHARED =
            not("must not be given with share", limit -> limit.map.get(SHARE.name()) != null);
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
            option(ClusterFields.SCOPE, ClusterFields::check),
            option(LimitReader.ALL_OF),
            option(KeyReader.KEY),
            option(KeyReader.MAX_KEYS, LOCAL),
            option(KeyReader.DEBT_CELLS, LOCAL),
            option(LimitReader.WARM_UP, UNSHARED),
            option(QUEUE, LOCAL),
            option(ADAPTIVE, LOCAL, UNSHARED, ADAPTABLE, AdaptiveFields::check),
            option(EXECUTOR, LOCAL),
            option(ClusterFields.MODE, COUNTED_BY_A_STORE),
            option(ClusterFields.WHEN_AWAY, COUNTED_BY_A_STORE),
            option(SHARE, LOCAL, ClusterFields::checkShare));

    private static final List<Field<?>> ALL =
            OPTIONS.stream().<Field<?>>map(Option::field).toList();

    /** A limit in the section {@code limits}: its options, and what is put in it beforehand. */
    public static final List<Field<?>> LIMITER = limiter();

    /** The options that are not those of each limit. */
    static final List<Field<?>> AROUND =
            ALL.stream().filter(field -> !LIMIT.contains(field)).toList();

    /** What may stand in a limit beside the fields of its algorithm. */
    static final Set<String> BESIDE = beside(ALL);

    /** The same in a limit that is a part of another one. */
    static final Set<String> BESIDE_IN_PART = beside(LIMIT);

    private static final Map<String, List<String>> INSIDE = paths();

    private DocumentFields() {}

    /** An option, and the rules for a limit that has it. */
    private record Option(Field<?> field, List<Rule> rules) {}

    /** A rule for a limit as a whole where it has an option. */
    interface Rule {
        void check(Field<?> option, Whole limit);
    }

    /**
     * A limit while it is read.
     *
     * @param spec null = it has a problem
     * @param values those of {@link #AROUND} that are right
     */
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
        fields.add(Rollout.ROLLOUT);
        return List.copyOf(fields);
    }

    /** Checks what the options of a limit need of each other. */
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

    /* What may stand beside the fields of an algorithm; all-of stands in place of those. */
    private static Set<String> beside(List<Field<?>> fields) {
        Set<String> names = names(fields);
        names.remove(LimitReader.ALL_OF.name());
        return Collections.unmodifiableSet(names);
    }

    /** The paths of the fields of this name in the sections of a limit. */
    static List<String> inside(String name) {
        return INSIDE.getOrDefault(Suggestion.plain(name), List.of());
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
}
