package dev.weir.config.document;

import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.ListNode;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import dev.weir.config.document.tree.Place;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The values of an application by key. They may be secret, so no problem shows one. */
final class ValuesSection {
    private static final String SECTION = "values";
    private static final String MERGE = "<<";
    private static final int MAX_KEY = 512;

    private final Problems problems;
    private final Map<String, String> values = new LinkedHashMap<>();
    private final Set<String> twice = new HashSet<>();

    private ValuesSection(Problems problems) {
        this.problems = problems;
    }

    static Map<String, String> read(MapNode section, Problems problems) {
        ValuesSection reading = new ValuesSection(problems);
        reading.entries("", section);
        reading.twice.forEach(reading.values::remove);
        return reading.values;
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
        problems.add(at, "", SECTION + "." + key, rule, "");
    }
}
