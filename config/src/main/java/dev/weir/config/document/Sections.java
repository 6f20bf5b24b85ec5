package dev.weir.config.document;

import dev.weir.config.document.LimitsDocument.Header;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.ListNode;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import dev.weir.config.document.tree.Place;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The sections of a document, some of which may be empty; without {@code removed}, the node of that is null. */
record Sections(
        MapNode document,
        MapNode templates,
        MapNode limits,
        @Nullable Node removedNode,
        MapNode values) {
    static final String DOCUMENT = "document";
    private static final String TEMPLATES = "templates";
    private static final String LIMITS = "limits";
    static final String VALUES = "values";
    static final List<String> NAMES = List.of(DOCUMENT, TEMPLATES, LIMITS, DocumentFields.REMOVED.name(), VALUES);

    /** Those of a tree. The problems say what is not a section, or missing. */
    static Sections of(Node root, Problems problems) {
        if (!(root instanceof MapNode map)) {
            problems.add(root.at(), "", "", "must be a map with limits", "");
            MapNode none = new MapNode(root.at(), Map.of());
            return new Sections(none, none, none, null, none);
        }
        map.entries().forEach((key, entry) -> {
            if (!NAMES.contains(key)) {
                problems.add(entry.key(), "", key, Suggestion.field(key, NAMES, List.of()), "");
            }
        });
        if (!map.entries().containsKey(LIMITS)) {
            problems.add(map.at(), "", LIMITS, "must be given; {} = no limits", "");
        }
        return new Sections(
                section(map, DOCUMENT, problems),
                section(map, TEMPLATES, problems),
                section(map, LIMITS, problems),
                map.get(DocumentFields.REMOVED.name()),
                section(map, VALUES, problems));
    }

    /** The header of the document; nothing after a problem. */
    Header header(Scope scope) {
        ReadValues read = ValueReader.value(DocumentFields.DOCUMENT.type(), document, scope);
        return read == null
                ? new Header(0, 0, "", "", 0)
                : new Header(
                        read.get(DocumentFields.VERSION),
                        read.get(DocumentFields.REPLACES),
                        read.get(DocumentFields.AUTHOR),
                        read.get(DocumentFields.REASON),
                        read.get(DocumentFields.FOR_PERCENT));
    }

    /** True if a limit may have this name; else that is a problem. */
    static boolean isName(String name, Place at, Scope scope) {
        boolean isName = name.matches(DocumentFields.NAME_PATTERN);
        if (!isName) {
            String advice = Suggestion.advice(name);
            scope.problem(at, "must have " + DocumentFields.NAME + (advice.isEmpty() ? "" : "; " + advice), "");
        }
        return isName;
    }

    /** The names of limits that are removed on purpose, without those that have a problem. */
    Set<String> removed(Scope scope) {
        Set<String> names = new LinkedHashSet<>();
        List<Node> items = removedNode == null ? List.of() : removedNode.items();
        for (int i = 0; i < items.size(); i++) {
            Scope at = scope.at(i);
            String name = ValueReader.value(DocumentFields.LIMIT_NAME, items.get(i), at);
            if (name != null && limits.get(name) != null) {
                at.problem(items.get(i), "must not be under limits too");
            } else if (name != null && !names.add(name)) {
                at.problem(items.get(i), "must not be there twice");
            }
        }
        return names;
    }

    private static MapNode section(MapNode map, String name, Problems problems) {
        Node node = map.get(name);
        if (node == null) {
            return new MapNode(map.at(), Map.of());
        }
        if (node instanceof MapNode section) {
            return section;
        }
        problems.add(node.at(), "", name, "must be a map", "");
        return new MapNode(map.at(), Map.of());
    }

    /** The texts of the values by their keys, without those that have a problem. */
    Map<String, String> values(Problems problems) {
        ValueTexts reading = new ValueTexts(problems);
        reading.entries("", values);
        reading.twice.forEach(reading.values::remove);
        return reading.values;
    }

    /** The values of an application by key. They may be secret, so no problem shows one. */
    private static final class ValueTexts {
        private static final String MERGE = "<<";
        private static final int MAX_KEY = 512;

        private final Problems problems;
        private final Map<String, String> values = new LinkedHashMap<>();
        private final Set<String> twice = new HashSet<>();

        private ValueTexts(Problems problems) {
            this.problems = problems;
        }

        private void entries(String parent, MapNode map) {
            for (Map.Entry<String, Entry> entry : map.entries().entrySet()) {
                String key = parent.isEmpty() ? entry.getKey() : parent + "." + entry.getKey();
                add(key, entry.getValue().key(), entry.getValue().value());
            }
        }

        private void add(String key, Place at, Node node) {
            if (key.equals(MERGE) || key.endsWith("." + MERGE)) {
                problem(at, key, "must not be a merge key of YAML, which documents do not have");
            } else if (key.length() > MAX_KEY) {
                problem(at, key, "must have at most " + MAX_KEY + " characters in its path");
            } else if (node instanceof MapNode map) {
                entries(key, map);
            } else if (node instanceof ListNode list) {
                for (int i = 0; i < list.items().size(); i++) {
                    Node item = list.items().get(i);
                    add(key + "[" + i + "]", item.at(), item);
                }
            } else if (node instanceof TextNode text) {
                text(key, at, text);
            }
        }

        private void text(String key, Place at, TextNode text) {
            if (text.isNull()) {
                problem(at, key, "must have a value");
            } else if (values.putIfAbsent(key, text.text()) != null) {
                twice.add(key);
                problem(at, key, "must not have the same key twice");
            }
        }

        private void problem(Place at, String key, String rule) {
            problems.add(at, "", VALUES + "." + key, rule, "");
        }
    }
}
