package dev.weir.config.document.tree;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** A value of a document with its place, whatever notation it was written in. Immutable; may be shared by several parents. */
public sealed interface Node {
    Place at();

    /** The number of values in it, itself included. */
    int size();

    /** The longest path through it: 1 if nothing is in it. */
    int height();

    /** What it is, for messages. */
    String what();

    /**
     * One word or number as it is written, without quotes.
     *
     * @param isNull whether the notation says that there is no value
     */
    record TextNode(Place at, String text, boolean isNull) implements Node {
        @Override
        public int size() {
            return 1;
        }

        @Override
        public int height() {
            return 1;
        }

        @Override
        public String what() {
            return isNull ? "null" : text.isEmpty() ? "\"\"" : text;
        }
    }

    /** A list. */
    record ListNode(Place at, List<Node> items, int size, int height) implements Node {
        public static ListNode of(Place at, List<Node> items) {
            return new ListNode(
                    at,
                    List.copyOf(items),
                    1 + items.stream().mapToInt(Node::size).sum(),
                    1 + items.stream().mapToInt(Node::height).max().orElse(0));
        }

        @Override
        public String what() {
            return "a list";
        }
    }

    /** A map in the order of the document. */
    record MapNode(Place at, Map<String, Entry> entries, int size, int height) implements Node {
        public static MapNode of(Place at, Map<String, Entry> entries) {
            return new MapNode(
                    at,
                    Collections.unmodifiableMap(new LinkedHashMap<>(entries)),
                    1
                            + entries.values().stream()
                                    .mapToInt(entry -> entry.value().size())
                                    .sum(),
                    1
                            + entries.values().stream()
                                    .mapToInt(entry -> entry.value().height())
                                    .max()
                                    .orElse(0));
        }

        /** The same without some keys. */
        public MapNode without(String... keys) {
            Map<String, Entry> rest = new LinkedHashMap<>(entries);
            for (String key : keys) {
                rest.remove(key);
            }
            return of(at, rest);
        }

        /** The same with some of its keys only. */
        public MapNode only(Predicate<String> kept) {
            Map<String, Entry> some = new LinkedHashMap<>(entries);
            some.keySet().removeIf(kept.negate());
            return of(at, some);
        }

        /** A map of one key. */
        public static MapNode of(String key, Node value) {
            return of(value.at(), Map.of(key, new Entry(value.at(), value)));
        }

        @Override
        public String what() {
            return "a map";
        }
    }

    /**
     * A value of a map.
     *
     * @param key the place of its key
     */
    record Entry(Place key, Node value) {}
}
