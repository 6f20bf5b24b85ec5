package dev.weir.config.document;

import dev.weir.Ticker;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.ListNode;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import dev.weir.keyed.Keyed;
import dev.weir.spi.StrategySpec;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A reader of the fields that say which parts of a key a limit counts by. */
final class KeyReader {
    private static final int MAX_NAME = 128;

    private KeyReader() {}

    /** The limit for each key, if the map has {@code key}. */
    static @Nullable StrategySpec around(StrategySpec limit, MapNode map, ReadValues values, Scope scope) {
        Entry entry = map.entries().get(KeyDimensions.KEY);
        if (entry == null
                || (entry.value() instanceof TextNode text && text.text().equals("false"))) {
            return unused(map, scope) ? null : limit;
        }
        if (!check(map, scope)) {
            return null;
        }
        int dimension = scope.dimensions().index(KeyDimensions.named(entry.value()));
        return Guarded.call(
                () -> {
                    Keyed keyed = Keyed.of(limit, values.get(LimitFields.MAX_KEYS));
                    Keyed sized = values.find(LimitFields.DEBT_CELLS)
                            .map(keyed::withDebtCells)
                            .orElse(keyed);
                    sized.create(Ticker.system());
                    return sized.by(dimension);
                },
                map,
                scope);
    }

    private static boolean unused(MapNode map, Scope scope) {
        boolean isUnused = false;
        for (String key : List.of(LimitFields.MAX_KEYS.name(), LimitFields.DEBT_CELLS.name())) {
            Entry entry = map.entries().get(key);
            if (entry != null) {
                scope.at(key).problem(entry.key(), "must not be given without key", "");
                isUnused = true;
            }
        }
        return isUnused;
    }

    /** Whether the value of {@code key} is valid, or there is none. */
    static boolean check(MapNode map, Scope limit) {
        Entry entry = map.entries().get(KeyDimensions.KEY);
        Scope scope = limit.at(KeyDimensions.KEY);
        return entry == null || KeyDimensions.isFlag(entry.value()) || checkNames(entry.value(), scope);
    }

    private static boolean checkNames(Node key, Scope scope) {
        long before = scope.count();
        List<Node> items = key instanceof ListNode list ? list.items() : List.of(key);
        for (Node item : items) {
            boolean isName = item instanceof TextNode text
                    && !text.isNull()
                    && !text.text().isEmpty()
                    && text.text().length() <= MAX_NAME
                    && text.text().chars().noneMatch(c -> Character.isISOControl(c) || c == ',' || c == ' ');
            if (!isName) {
                scope.wrong(item, "must be true, or names of dimensions such as [user, ip]");
            }
        }
        List<String> names = KeyDimensions.named(key);
        int all = scope.dimensions().names().size();
        if (items.isEmpty()) {
            scope.wrong(key, "must be true, or names of dimensions such as [user, ip]");
        } else if (new HashSet<>(names).size() < names.size()) {
            scope.wrong(key, "must have each dimension once");
        } else if (all > KeyDimensions.MAX) {
            scope.wrong(key, "must be one of at most " + KeyDimensions.MAX + " dimensions of all limits in it");
        } else if (scope.dimensions().index(names) < -1) {
            scope.problem(
                    key.at(),
                    "must be one dimension, or all of " + scope.dimensions().names(),
                    names.toString());
        }
        return scope.count() == before;
    }
}
