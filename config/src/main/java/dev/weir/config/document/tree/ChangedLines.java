package dev.weir.config.document.tree;

import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.MapNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A YAML document of which some lines differ from an earlier one, within entries of one map of the root: only these entries are
 * parsed. A changed limit among thousands is what it is for.
 *
 * <p>An entry of a block is a document of its own if nothing refers to other entries. That it is one is not deduced from its
 * text: the old lines are parsed too, and must say what the earlier tree says, at the same places.
 */
final class ChangedLines {
    private final String before;
    private final String after;
    private final int maxNodes;
    /* What differs ends here. */
    private final int beforeEnd;
    private final int afterEnd;
    /* The lines, counted from 1, in which the difference begins and ends. */
    private final int start;
    private final int firstLine;
    private final int lastLine;

    private ChangedLines(String before, String after, int start, int maxNodes) {
        this.before = before;
        this.after = after;
        this.maxNodes = maxNodes;
        this.start = start;
        int longest = Math.min(before.length(), after.length()) - start;
        int same = 0;
        while (same < longest && before.charAt(before.length() - 1 - same) == after.charAt(after.length() - 1 - same)) {
            same++;
        }
        beforeEnd = before.length() - same;
        afterEnd = after.length() - same;
        firstLine = 1 + lines(before, 0, start);
        lastLine = firstLine + lines(before, start, beforeEnd);
    }

    private static int lines(String text, int from, int to) {
        int lines = 0;
        for (int i = from; i < to; i++) {
            lines += text.charAt(i) == '\n' ? 1 : 0;
        }
        return lines;
    }

    /** The tree of a document after another one; null if all of it must be parsed. */
    static @Nullable Tree tree(@Nullable Tree tree, String after, int maxNodes) {
        if (tree == null || tree.yaml() == null || !(tree.root() instanceof MapNode root)) {
            return null;
        }
        String before = tree.yaml();
        int start = 0;
        int most = Math.min(before.length(), after.length());
        while (start < most && before.charAt(start) == after.charAt(start)) {
            start++;
        }
        if (start == most && before.length() == after.length()) {
            return tree;
        }
        ChangedLines changed = new ChangedLines(before, after, start, maxNodes);
        if (changed.lastLine - changed.firstLine != lines(after, start, changed.afterEnd)) {
            return null;
        }
        for (Map.Entry<String, Entry> section : root.entries().entrySet()) {
            MapNode other = section.getValue().value() instanceof MapNode map ? changed.in(map) : null;
            if (other != null) {
                MapNode all = replaced(
                        root,
                        Map.of(section.getKey(), new Entry(section.getValue().key(), other)));
                // Keys are not in its size.
                return all.size() > maxNodes / 2 ? null : new Tree(all, tree.isClosed(), after);
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
            if (line > lastLine) {
                next = line;
                break;
            }
            if (line <= firstLine) {
                old.clear();
                from = line;
            }
            old.put(entry.getKey(), entry.getValue());
        }
        if (from < 2 || next == 0) {
            return null;
        }
        int begin = lineStart(from);
        int end = lineStartAfter(next);
        if (!old.equals(entries(before, begin, end, from))) {
            return null;
        }
        Map<String, Entry> now = entries(after, begin, end + after.length() - before.length(), from);
        return now != null && keys(now).equals(keys(old)) ? replaced(map, now) : null;
    }

    private static List<String> keys(Map<String, Entry> entries) {
        return entries.entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue().key().column())
                .toList();
    }

    /** Where a line begins that is not after the difference. */
    private int lineStart(int line) {
        int at = start;
        for (int back = firstLine - line; at > 0 && (before.charAt(at - 1) != '\n' || back-- > 0); ) {
            at--;
        }
        return at;
    }

    /** Where a line begins in the earlier document that is after the difference. */
    private int lineStartAfter(int line) {
        int at = beforeEnd;
        for (int ahead = line - lastLine; ahead > 0 && at < before.length(); at++) {
            ahead -= before.charAt(at) == '\n' ? 1 : 0;
        }
        return at;
    }

    /** The entries in these lines; null if they are anything else. */
    private @Nullable Map<String, Entry> entries(String text, int from, int to, int line) {
        for (int i = from; i < to; i++) {
            // Anchors, aliases and tags may have a meaning elsewhere; a carriage return may be a line.
            if ("&*!\r".indexOf(text.charAt(i)) >= 0) {
                return null;
            }
        }
        try {
            String lines = "x:" + "\n".repeat(line - 1) + text.substring(from, to);
            Tree tree = YamlTree.read(lines, new TreeBuilder(maxNodes));
            return !tree.isClosed()
                            && tree.root() instanceof MapNode root
                            && root.entries().size() == 1
                            && new ArrayList<>(root.entries().values()).get(0).value() instanceof MapNode map
                    ? map.entries()
                    : null;
        } catch (Unreadable | RuntimeException e) {
            return null;
        }
    }
}
