package dev.weir.config.document.tree;

import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.MapNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A YAML document with as many lines as an earlier one, of which those differ that belong to some entries of one map in the root:
 * only these entries are parsed. A changed limit among thousands is what it is for.
 *
 * <p>An entry of a block is a document of its own if nothing refers to other entries. That it is one is not deduced from its
 * text: the old lines are parsed too, and must say what the earlier tree says, at the same places.
 *
 * @param first the first line that differs, counted from 1
 * @param last the last one
 */
record ChangedLines(List<String> before, List<String> after, int first, int last, int maxNodes) {
    /** The tree of a document after another one; null if all of it must be parsed. */
    static @Nullable Tree tree(@Nullable Tree tree, List<String> after, int maxNodes) {
        if (tree == null
                || !(tree.root() instanceof MapNode root)
                || tree.yaml().size() != after.size()) {
            return null;
        }
        int first = 0;
        int last = after.size() - 1;
        while (first <= last && tree.yaml().get(first).equals(after.get(first))) {
            first++;
        }
        while (first < last && tree.yaml().get(last).equals(after.get(last))) {
            last--;
        }
        if (first > last) {
            return tree;
        }
        ChangedLines changed = new ChangedLines(tree.yaml(), after, first + 1, last + 1, maxNodes);
        for (Map.Entry<String, Entry> section : root.entries().entrySet()) {
            MapNode now = section.getValue().value() instanceof MapNode map ? changed.in(map) : null;
            if (now != null) {
                Entry entry = new Entry(section.getValue().key(), now);
                MapNode all = replaced(root, Map.of(section.getKey(), entry));
                // Keys are not in its size.
                return all.size() > maxNodes / 2 ? null : new Tree(all, tree.isEnded(), after);
            }
        }
        return null;
    }

    private static MapNode replaced(MapNode map, Map<String, Entry> changed) {
        Map<String, Entry> all = new LinkedHashMap<>(map.entries());
        all.putAll(changed);
        return MapNode.of(map.at(), all);
    }

    /** This map with what differs; null if something else differs, or that is not certain. */
    private @Nullable MapNode in(MapNode map) {
        Map<String, Entry> old = new LinkedHashMap<>();
        int from = 0;
        int next = 0;
        for (Map.Entry<String, Entry> entry : map.entries().entrySet()) {
            int line = entry.getValue().key().line();
            if (line > last) {
                next = line;
                break;
            }
            if (line <= first) {
                old.clear();
                from = line;
            }
            old.put(entry.getKey(), entry.getValue());
        }
        if (from < 2 || next == 0 || !old.equals(entries(before, from, next))) {
            return null;
        }
        Map<String, Entry> now = entries(after, from, next);
        return now != null && keys(now).equals(keys(old)) ? replaced(map, now) : null;
    }

    private static List<String> keys(Map<String, Entry> entries) {
        return entries.entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue().key().column())
                .toList();
    }

    /** The entries in the lines before the next one; null if they are anything else. */
    private @Nullable Map<String, Entry> entries(List<String> text, int from, int next) {
        String lines = String.join("\n", text.subList(from - 1, next - 1)) + "\n";
        // Anchors, aliases and tags may have a meaning elsewhere; a carriage return may be a line.
        if (lines.chars().anyMatch(each -> "&*!\r".indexOf(each) >= 0)) {
            return null;
        }
        try {
            Tree tree = YamlTree.read("x:" + "\n".repeat(from - 1) + lines, new TreeBuilder(maxNodes));
            return !tree.isEnded()
                            && tree.root() instanceof MapNode root
                            && root.entries().size() == 1
                            && root.entries().containsKey("x")
                            && root.entries().get("x").value() instanceof MapNode map
                    ? map.entries()
                    : null;
        } catch (Unreadable | RuntimeException e) {
            return null;
        }
    }
}
