package dev.weir.config.document;

import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.WarmUp;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.ListNode;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import dev.weir.config.factory.Factory;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A reader of a limit: the algorithm, the key that it counts by, and the warm-up around both. */
final class LimitReader {
    /** The algorithm of a limit that names none, by the field that only it has. */
    private static final List<List<String>> DEFAULTS =
            List.of(List.of("concurrency", "semaphore"), List.of("rate", "token-bucket"));

    private static final int PERCENT = 100;

    private LimitReader() {}

    /** A limit in another one. */
    static @Nullable StrategySpec read(Node node, Scope scope) {
        return read(node, Set.of(), scope);
    }

    /**
     * A limit.
     *
     * @param others keys that somebody else reads
     */
    static @Nullable StrategySpec read(Node node, Set<String> others, Scope scope) {
        if (!(node instanceof MapNode map)) {
            scope.wrong(node, "must be a map");
            return null;
        }
        Set<String> around = new LinkedHashSet<>(LimitFields.AROUND_NAMES);
        around.addAll(others);
        StrategySpec algorithm = algorithm(map, around, scope);
        ReadValues values = ValueReader.fields(map.only(LimitFields::isValue), LimitFields.AROUND, Set.of(), scope);
        if (values == null || algorithm == null) {
            KeyReader.check(map, scope);
            return null;
        }
        StrategySpec keyed = KeyReader.around(algorithm, map, values, scope);
        return keyed == null ? null : warming(keyed, map, scope);
    }

    private static @Nullable StrategySpec algorithm(MapNode map, Set<String> around, Scope scope) {
        Entry named = map.entries().get(LimitFields.ALGORITHM);
        Entry members = map.entries().get(LimitFields.ALL_OF);
        if (named != null && members != null) {
            scope.at(LimitFields.ALL_OF).problem(members.key(), "must not be given together with algorithm", "");
            return null;
        }
        if (named != null) {
            return byName(named.value(), map, around, scope);
        }
        if (members != null) {
            ValueReader.fields(map.without(LimitFields.ALL_OF), List.of(), around, scope);
            return allOf(members.value(), scope.at(LimitFields.ALL_OF));
        }
        List<List<String>> fitting = DEFAULTS.stream()
                .filter(entry -> map.entries().containsKey(entry.get(0)))
                .toList();
        if (fitting.size() == 1) {
            TextNode name = new TextNode(map.at(), fitting.get(0).get(1), false);
            return byName(name, map, around, scope);
        }
        if (fitting.isEmpty()) {
            Set<String> known = new LinkedHashSet<>(around);
            known.addAll(List.of(LimitFields.ALGORITHM, LimitFields.ALL_OF, "concurrency", "rate"));
            long before = scope.count();
            map.entries().forEach((key, entry) -> {
                if (!known.contains(key)) {
                    scope.at(key).problem(entry.key(), Suggestion.field(key, known), "");
                }
            });
            if (scope.count() == before) {
                scope.problem(map.at(), "must have concurrency, rate, all-of or algorithm", "");
            }
        } else {
            scope.problem(map.at(), "must have only one of concurrency and rate; use all-of for both", "");
        }
        return null;
    }

    private static @Nullable StrategySpec byName(Node name, MapNode map, Set<String> around, Scope scope) {
        Scope at = scope.at(LimitFields.ALGORITHM);
        if (!(name instanceof TextNode text) || text.isNull()) {
            at.wrong(name, "must be the name of an algorithm");
            return null;
        }
        Factory<?> factory = ValueReader.factory(StrategySpec.class, text, at);
        if (factory == null) {
            return null;
        }
        Set<String> others = new LinkedHashSet<>(around);
        others.add(LimitFields.ALGORITHM);
        return ValueReader.created(factory, map, others, scope) instanceof StrategySpec spec ? spec : null;
    }

    private static @Nullable StrategySpec allOf(Node node, Scope scope) {
        if (!(node instanceof ListNode list)) {
            scope.wrong(node, "must be a list of limits");
            return null;
        }
        List<StrategySpec> members = new java.util.ArrayList<>();
        for (int i = 0; i < list.items().size(); i++) {
            StrategySpec member = read(list.items().get(i), scope.at(i));
            if (member != null) {
                members.add(member);
            }
        }
        return members.size() < list.items().size() ? null : Guarded.call(() -> new AllOf(members), node, scope);
    }

    private static @Nullable StrategySpec warming(StrategySpec target, MapNode map, Scope scope) {
        Entry entry = map.entries().get(LimitFields.WARM_UP);
        if (entry == null) {
            return target;
        }
        Scope at = scope.at(LimitFields.WARM_UP);
        MapNode fields = LimitFields.asMap(entry.value(), LimitFields.PERIOD.name(), at);
        ReadValues values =
                fields == null ? null : ValueReader.fields(fields, LimitFields.WARM_UP_FIELDS, Set.of(), at);
        if (values == null) {
            return null;
        }
        Duration idle = values.find(LimitFields.COOL_AFTER_IDLE).orElse(null);
        int floor = (int) Math.ceil(values.get(LimitFields.FLOOR) * PERCENT - 1e-9);
        return Guarded.call(
                () -> new WarmUp(target, values.get(LimitFields.PERIOD), floor, values.get(LimitFields.CURVE), idle),
                entry.value(),
                at);
    }
}
