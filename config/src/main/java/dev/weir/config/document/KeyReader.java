package dev.weir.config.document;

import dev.weir.Ticker;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.ListNode;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import dev.weir.config.factory.Field;
import dev.weir.keyed.Keyed;
import dev.weir.spi.StrategySpec;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A reader of the fields that say which parts of a key a limit counts by. */
final class KeyReader {
    private static final int MAX_NAME = 128;
    private static final int MAX_DIMENSIONS = 16;

    static final Field<List<String>> KEY = Field.list("key", Field.text("key").type())
            .describedAs("What the limit counts by: names of dimensions, or true for the whole key.");
    static final Field<Long> MAX_KEYS = Field.count("max-keys")
            .describedAs("How many keys are kept. Only with key.")
            .atMost(1L << 30)
            .orElse(10_000L);
    static final Field<Long> DEBT_CELLS = Field.count("debt-cells")
            .describedAs("The cells that keep what evicted keys have used. Only with key. Default: by max-keys.")
            .atMost(1L << 29);

    private static final List<Field<?>> SIZES = List.of(MAX_KEYS, DEBT_CELLS);

    private KeyReader() {}

    /** The value of {@code key}; null = the limit does not count by one. */
    private static @Nullable Node key(MapNode limit) {
        Node key = limit.get(KEY.name());
        return key == null || key.is("false") ? null : key;
    }

    static boolean isKeyed(MapNode limit) {
        return key(limit) != null
                || (limit.get(LimitReader.ALL_OF.name()) instanceof ListNode list
                        && list.items().stream().anyMatch(part -> part instanceof MapNode map && isKeyed(map)));
    }

    /** The parts of a key by which a limit and all limits in it count, in the order in which they are first named. */
    static List<String> dimensions(MapNode limit) {
        Set<String> names = new LinkedHashSet<>();
        collect(limit, names);
        return List.copyOf(names);
    }

    private static void collect(Node node, Set<String> names) {
        if (node instanceof ListNode list) {
            list.items().forEach(item -> collect(item, names));
        } else if (node instanceof MapNode map) {
            Node key = map.get(KEY.name());
            if (key != null) {
                names.addAll(named(key));
            }
            map.entries().values().forEach(entry -> collect(entry.value(), names));
        }
    }

    /** The dimensions that the value of {@code key} names; none for {@code true} and {@code false}. */
    private static List<String> named(Node key) {
        return key.items().stream()
                .filter(item -> item instanceof TextNode && !isFlag(item))
                .map(item -> ((TextNode) item).text())
                .toList();
    }

    private static boolean isFlag(Node key) {
        return key.is("true") || key.is("false");
    }

    /** The limit for each key, if the map has {@code key}. Null after a problem, or if there is no limit. */
    static @Nullable StrategySpec around(@Nullable StrategySpec limit, MapNode map, Scope scope) {
        long before = scope.count();
        ReadValues sizes = ValueReader.fields(map, SIZES, map.entries().keySet(), scope);
        Node given = map.get(KEY.name());
        if (given != null && !isFlag(given)) {
            check(given, scope.at(KEY.name()));
        }
        Node key = key(map);
        if (limit != null && sizes != null && key == null) {
            scope.refuse(map, "must not be given without key", SIZES);
        }
        if (limit == null || sizes == null || scope.count() > before) {
            return null;
        }
        return key == null
                ? limit
                : scope.guarded(map, () -> {
                    Keyed keyed = Keyed.of(limit, sizes.get(MAX_KEYS));
                    Keyed sized =
                            sizes.find(DEBT_CELLS).map(keyed::withDebtCells).orElse(keyed);
                    sized.create(Ticker.system());
                    List<String> names = named(key);
                    return sized.by((names.isEmpty() ? scope.dimensions() : names).toArray(String[]::new));
                });
    }

    private static void check(Node key, Scope scope) {
        for (Node item : key.items()) {
            boolean isName = item instanceof TextNode text
                    && !text.isNull()
                    && !text.text().isEmpty()
                    && text.text().length() <= MAX_NAME
                    && text.text().chars().noneMatch(c -> Character.isISOControl(c) || c == ',' || c == ' ');
            if (!isName) {
                scope.wrong(item, "must be true, or names of dimensions such as [user, ip]");
            }
        }
        List<String> names = named(key);
        if (key.items().isEmpty()) {
            scope.wrong(key, "must be true, or names of dimensions such as [user, ip]");
        } else if (new HashSet<>(names).size() < names.size()) {
            scope.wrong(key, "must have each dimension once");
        } else if (scope.dimensions().size() > MAX_DIMENSIONS) {
            scope.wrong(key, "must be one of at most " + MAX_DIMENSIONS + " dimensions of all limits in it");
        }
    }
}
