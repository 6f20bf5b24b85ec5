package dev.weir.config.document;

import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.WarmUp;
import dev.weir.budget.ClientLimit;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.ListNode;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import dev.weir.config.factory.Factory;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import dev.weir.keyed.Keyed;
import dev.weir.spi.RampCurve;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A reader of a limit: the algorithm, the key that it counts by, and the warm-up around both. */
final class LimitReader {
    static final Map<String, String> DEFAULTS = defaults();

    static final String ALGORITHM = "algorithm";
    static final Field<List<StrategySpec>> ALL_OF = Field.list("all-of", new ValueType.Limit())
            .describedAs("Limits that must all grant a request, in place of an algorithm.");

    private static final Field<Duration> PERIOD =
            Field.duration("period").describedAs("How long the rise takes.").needed();
    private static final Field<Double> FLOOR = Field.share("floor")
            .describedAs("The share of the limit to start from.")
            .orElse(0.33);
    private static final Field<RampCurve> CURVE = Field.choice("curve", RampCurve.class)
            .describedAs("The shape of the rise.")
            .orElse(RampCurve.LINEAR);
    private static final Field<Duration> COOL_AFTER_IDLE =
            Field.duration("cool-after-idle").describedAs("Cold again after so long without requests. Default: never.");
    static final Field<UnaryOperator<StrategySpec>> WARM_UP = ReadValues.section(
                    "warm-up",
                    "a map, or only its period",
                    PERIOD,
                    List.of(PERIOD, FLOOR, CURVE, COOL_AFTER_IDLE),
                    LimitReader::warmUp)
            .describedAs("Starts cold: the limit rises to its full value over a period.");

    private static final int PERCENT = 100;

    static final List<Field<?>> FIELDS =
            List.of(ALL_OF, KeyReader.KEY, KeyReader.MAX_KEYS, KeyReader.DEBT_CELLS, WARM_UP);

    /** The names that may stand in a limit that is a part of another one, beside the fields of its algorithm. */
    static final Set<String> BESIDE = beside(FIELDS);

    private LimitReader() {}

    private static Map<String, String> defaults() {
        Map<String, String> algorithms = new LinkedHashMap<>();
        algorithms.put("concurrency", "semaphore");
        algorithms.put("rate", "token-bucket");
        algorithms.put("budget", "budget");
        algorithms.put("throttle", "throttle");
        return Collections.unmodifiableMap(algorithms);
    }

    /** The names that may stand beside the fields of an algorithm; {@code all-of} stands in place of those. */
    static Set<String> beside(List<Field<?>> fields) {
        return fields.stream()
                .map(Field::name)
                .filter(name -> !name.equals(ALL_OF.name()))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** The algorithm that a map names, or that it has by the field that only this algorithm has; null = none of its own. */
    static @Nullable String algorithm(MapNode map) {
        return map.get(ALGORITHM) instanceof TextNode name && !name.isNull()
                ? name.text()
                : DEFAULTS.entrySet().stream()
                        .filter(entry -> map.get(entry.getKey()) != null)
                        .map(Map.Entry::getValue)
                        .findFirst()
                        .orElse(null);
    }

    /** A limit, in a map that may have these fields too. */
    static @Nullable StrategySpec read(Node node, Set<String> beside, Scope scope) {
        if (!(node instanceof MapNode map)) {
            scope.wrong(node, "must be a map");
            return null;
        }
        StrategySpec limit = KeyReader.around(algorithm(map, beside, scope), map, scope);
        Node warmUp = map.get(WARM_UP.name());
        if (limit == null || warmUp == null) {
            return limit;
        }
        Scope at = scope.at(WARM_UP.name());
        UnaryOperator<StrategySpec> warming = ValueReader.value(WARM_UP.type(), warmUp, at);
        return warming == null ? null : at.guarded(warmUp, () -> warming.apply(limit));
    }

    private static @Nullable StrategySpec algorithm(MapNode map, Set<String> beside, Scope scope) {
        Entry named = map.entries().get(ALGORITHM);
        Entry members = map.entries().get(ALL_OF.name());
        if (named != null && members != null) {
            scope.at(ALL_OF.name()).problem(members.key(), "must not be given together with algorithm", "");
            return null;
        }
        if (named != null) {
            return byName(named.value(), map, beside, scope);
        }
        if (members != null) {
            ValueReader.fields(map.without(ALL_OF.name()), List.of(), beside, scope);
            return allOf(members.value(), scope.at(ALL_OF.name()));
        }
        List<Map.Entry<String, String>> fitting = DEFAULTS.entrySet().stream()
                .filter(entry -> map.entries().containsKey(entry.getKey()))
                .toList();
        if (fitting.size() == 1) {
            TextNode name = new TextNode(map.at(), fitting.get(0).getValue(), false);
            return byName(name, map, beside, scope);
        }
        if (fitting.isEmpty()) {
            Set<String> known = new LinkedHashSet<>(beside);
            known.addAll(List.of(ALGORITHM, ALL_OF.name()));
            known.addAll(DEFAULTS.keySet());
            if (ValueReader.fields(map, List.of(), known, scope) != null) {
                scope.problem(map.at(), "must have concurrency, rate, budget, throttle, all-of or algorithm", "");
            }
        } else {
            String rule = "must have only one of concurrency, rate, budget and throttle; use all-of for several";
            scope.problem(map.at(), rule, "");
        }
        return null;
    }

    private static @Nullable StrategySpec byName(Node name, MapNode map, Set<String> beside, Scope scope) {
        Scope at = scope.at(ALGORITHM);
        if (!(name instanceof TextNode text) || text.isNull()) {
            at.wrong(name, "must be the name of an algorithm");
            return null;
        }
        Factory<?> factory = ValueReader.factory(StrategySpec.class, text, at);
        if (factory == null) {
            return null;
        }
        Set<String> others = new LinkedHashSet<>(beside);
        others.add(ALGORITHM);
        return ValueReader.created(factory, map, others, scope) instanceof StrategySpec spec ? spec : null;
    }

    private static @Nullable StrategySpec allOf(Node node, Scope scope) {
        if (!(node instanceof ListNode)) {
            scope.wrong(node, "must be a list of limits");
            return null;
        }
        List<StrategySpec> members = ValueReader.value(ALL_OF.type(), node, scope);
        return members == null ? null : scope.guarded(node, () -> new AllOf(members));
    }

    private static UnaryOperator<StrategySpec> warmUp(ReadValues values) {
        Duration idle = values.find(COOL_AFTER_IDLE).orElse(null);
        int floor = (int) Math.ceil(values.get(FLOOR) * PERCENT - 1e-9);
        return target -> {
            if (isOfClient(target.parts().get(0))) {
                throw new IllegalArgumentException(
                        "must not be given with budget or throttle: they have no limit to raise");
            }
            return new WarmUp(target, values.get(PERIOD), floor, values.get(CURVE), idle);
        };
    }

    /** True if a part is around the calls of a client, and has no limit that could be changed or counted elsewhere. */
    static boolean isOfClient(StrategySpec part) {
        StrategySpec one = part instanceof Keyed keyed ? keyed.perKey().parts().get(0) : part;
        return one instanceof ClientLimit;
    }
}
