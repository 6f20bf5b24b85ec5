package dev.weir.config.document;

import dev.weir.Ticker;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.ListNode;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import dev.weir.config.factory.Field;
import dev.weir.keyed.Keyed;
import dev.weir.spi.StrategySpec;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A reader of the fields that say which parts of a key a limit counts by. */
final class KeyReader {
    private static final int MAX_NAME = 128;

    static final Field<List<String>> KEY = Field.list("key", Field.text("key").type())
            .describedAs("What the limit counts by: names of dimensions, or true for the whole key.");
    static final Field<Long> MAX_KEYS = Field.count("max-keys")
            .describedAs("How many keys are kept. Only with key.")
            .atMost(1L << 30)
            .orElse(10_000L);
    static final Field<Long> DEBT_CELLS = Field.count("debt-cells")
            .describedAs("The cells that keep what evicted keys have used. Only with key. Default: by max-keys.")
            .atMost(1L << 29);

    private KeyReader() {}

    /** The value of {@code key}, unless the limit does not count by one. */
    static @Nullable Node key(MapNode limit) {
        Entry entry = limit.entries().get(KEY.name());
        return entry == null
                        || (entry.value() instanceof TextNode text
                                && text.text().equals("false"))
                ? null
                : entry.value();
    }

    /** The limit for each key, if the map has {@code key}. */
    static @Nullable StrategySpec around(StrategySpec limit, MapNode map, ReadValues values, Scope scope) {
        Node key = key(map);
        if (key == null) {
            long before = scope.count();
            scope.refuse(map, "must not be given without key", MAX_KEYS.name(), DEBT_CELLS.name());
            return scope.count() > before ? null : limit;
        }
        if (!check(map, scope)) {
            return null;
        }
        return scope.guarded(map, () -> {
            Keyed keyed = Keyed.of(limit, values.get(MAX_KEYS));
            Keyed sized = values.find(DEBT_CELLS).map(keyed::withDebtCells).orElse(keyed);
            sized.create(Ticker.system());
            return sized.by(scope.dimensions().index(KeyDimensions.named(key)));
        });
    }

    /** Whether the value of {@code key} is valid, or there is none. */
    static boolean check(MapNode map, Scope limit) {
        Entry entry = map.entries().get(KEY.name());
        Scope scope = limit.at(KEY.name());
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
