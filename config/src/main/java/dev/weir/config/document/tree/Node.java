package dev.weir.config.document.tree;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A value of a document with its place, whatever notation it was written in. Immutable; may be shared by several parents. */
public sealed interface Node {
    Place at();

    /** Those directly in it. */
    default List<Node> values() {
        return List.of();
    }

    /** The number of values in it, itself included. */
    default int size() {
        return 1 + values().stream().mapToInt(Node::size).sum();
    }

    /** The longest path through it: 1 if nothing is in it. */
    default int height() {
        return 1 + values().stream().mapToInt(Node::height).max().orElse(0);
    }

    /** True if both say the same, in the same order; their places may differ. */
    static boolean isSame(Node one, Node other) {
        if (one == other) {
            return true;
        }
        if (one instanceof TextNode text && other instanceof TextNode same) {
            return text.isNull == same.isNull && text.text.equals(same.text);
        }
        if (one instanceof ListNode list && other instanceof ListNode same) {
            return isSame(list.items, same.items);
        }
        return one instanceof MapNode map
                && other instanceof MapNode same
                && List.copyOf(map.entries.keySet()).equals(List.copyOf(same.entries.keySet()))
                && isSame(map.values(), same.values());
    }

    private static boolean isSame(List<Node> all, List<Node> others) {
        return all.size() == others.size()
                && IntStream.range(0, all.size()).allMatch(i -> isSame(all.get(i), others.get(i)));
    }

    /** The kind of the node, for messages. */
    String what();

    /** The items of a list; of anything else, it alone. */
    default List<Node> items() {
        return List.of(this);
    }

    default boolean is(String word) {
        return this instanceof TextNode text && text.text.equals(word);
    }

    /** One word or number as it is written, without quotes; null if the notation says that there is no value. */
    record TextNode(Place at, String text, boolean isNull) implements Node {
        @Override
        public String what() {
            return isNull ? "null" : text.isEmpty() ? "\"\"" : text;
        }
    }

    record ListNode(Place at, List<Node> items) implements Node {
        public ListNode {
            items = List.copyOf(items);
        }

        @Override
        public List<Node> values() {
            return items;
        }

        @Override
        public String what() {
            return "a list";
        }
    }

    /** A map in the order of the document. */
    record MapNode(Place at, Map<String, Entry> entries) implements Node {
        public MapNode {
            entries = Collections.unmodifiableMap(new LinkedHashMap<>(entries));
        }

        @Override
        public List<Node> values() {
            return entries.values().stream().map(Entry::value).toList();
        }

        public @Nullable Node get(String key) {
            Entry entry = entries.get(key);
            return entry == null ? null : entry.value();
        }

        public MapNode without(String... keys) {
            if (Stream.of(keys).noneMatch(entries::containsKey)) {
                return this;
            }
            Map<String, Entry> rest = new LinkedHashMap<>(entries);
            for (String key : keys) {
                rest.remove(key);
            }
            return new MapNode(at, rest);
        }

        public static MapNode of(String key, Node value) {
            return new MapNode(value.at(), Map.of(key, new Entry(value.at(), value)));
        }

        @Override
        public String what() {
            return "a map";
        }
    }

    /** A value of a map, and the place of its key. */
    record Entry(Place key, Node value) {}
}
