package dev.weir.config.document;

import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.ListNode;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The parts of a request's key that the limits of one limiter count by.
 *
 * @param names in the order in which the document first names them
 */
record KeyDimensions(List<String> names) {
    static final int MAX = 16;
    static final KeyDimensions NONE = new KeyDimensions(List.of());

    /** Whether a limit, or one of those in it, counts by a key. */
    static boolean isKeyed(MapNode limit) {
        Entry parts = limit.entries().get(LimitReader.ALL_OF.name());
        return KeyReader.key(limit) != null
                || (parts != null
                        && parts.value() instanceof ListNode list
                        && list.items().stream().anyMatch(part -> part instanceof MapNode map && isKeyed(map)));
    }

    /** Those of a limit and of all limits in it. */
    static KeyDimensions of(MapNode limit) {
        Set<String> names = new LinkedHashSet<>();
        collect(limit, names);
        return new KeyDimensions(List.copyOf(names));
    }

    private static void collect(Node node, Set<String> names) {
        if (node instanceof ListNode list) {
            list.items().forEach(item -> collect(item, names));
        } else if (node instanceof MapNode map) {
            Entry key = map.entries().get(KeyReader.KEY.name());
            if (key != null) {
                names.addAll(named(key.value()));
            }
            map.entries().values().forEach(entry -> collect(entry.value(), names));
        }
    }

    /** The dimensions that the value of {@code key} names; none for {@code true} and {@code false}. */
    static List<String> named(Node key) {
        List<Node> items = key instanceof ListNode list ? list.items() : List.of(key);
        List<String> names = new ArrayList<>();
        for (Node item : items) {
            if (item instanceof TextNode text && !isFlag(text)) {
                names.add(text.text());
            }
        }
        return names;
    }

    static boolean isFlag(Node key) {
        return key instanceof TextNode text
                && (text.text().equals("true") || text.text().equals("false"));
    }

    /** Which dimension of a request's key these are: -1 = the whole key; -2 = more than one and not all. */
    int index(List<String> wanted) {
        if (wanted.isEmpty() || Set.copyOf(wanted).containsAll(names)) {
            return -1;
        }
        return wanted.size() == 1 ? names.indexOf(wanted.get(0)) : -2;
    }
}
