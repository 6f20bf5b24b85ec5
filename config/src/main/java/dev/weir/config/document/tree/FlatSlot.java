package dev.weir.config.document.tree;

import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.ListNode;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A value of a tree of flat keys while it is built: text, a map or a list, as the first key with it says. {@code a.b[0].c} is the
 * key {@code c} in the first item of the list {@code b} in the map {@code a}; {@code [x.y]} is one key with a dot, where
 * {@code ]]} is a bracket. The texts {@code {}} and {@code []} are an empty map and an empty list.
 */
public final class FlatSlot {
    private static final int MAX_DIGITS = 4;

    /** A key of a map after a dot, or in brackets, where it may have dots; digits in brackets are an index of a list. */
    private static final Pattern STEP =
            Pattern.compile("\\G(?:^|[.]|(?=\\[))(?:\\[((?:[^]]|]])*+)]|((?!\\[)[^.\\[]*))");

    private final Place at;
    private final SortedMap<String, FlatSlot> named = new TreeMap<>();
    private final SortedMap<Integer, FlatSlot> indexed = new TreeMap<>();
    private @Nullable TextNode text;

    private FlatSlot(Place at) {
        this.at = at;
    }

    /** The tree of these keys. */
    public static Node tree(SortedMap<String, TextNode> values) throws Unreadable {
        FlatSlot root = new FlatSlot(Place.NONE);
        for (Map.Entry<String, TextNode> entry : values.entrySet()) {
            Place at = entry.getValue().at();
            String key = entry.getKey();
            Matcher step = STEP.matcher(key);
            FlatSlot slot = root;
            int end = 0;
            for (int depth = 0; end < key.length() && !key.endsWith(".") && step.find(); depth++) {
                if (depth >= TreeBuilder.MAX_DEPTH) {
                    throw new Unreadable(at, TreeBuilder.TOO_DEEP);
                }
                end = step.end();
                slot = slot.below(step, at);
            }
            if (end < key.length() || key.isEmpty()) {
                throw new Unreadable(at, "must have keys such as a.b, a[0].b or a.[b.c]");
            }
            slot.set(entry.getValue());
        }
        return root.node();
    }

    /** The texts of a tree by its keys, as {@link #tree} reads them. */
    public static SortedMap<String, String> texts(Node tree) {
        SortedMap<String, String> texts = new TreeMap<>();
        add("", tree, texts);
        return texts;
    }

    private static void add(String path, Node node, Map<String, String> texts) {
        if (node instanceof TextNode one) {
            texts.put(path, one.isNull() ? one.what() : one.text());
        } else if (node instanceof ListNode list) {
            List<Node> items = list.items();
            for (int i = 0; i < items.size(); i++) {
                add(path + "[" + i + "]", items.get(i), texts);
            }
            if (items.isEmpty()) {
                texts.put(path, "[]");
            }
        } else if (node instanceof MapNode map) {
            map.entries().forEach((key, entry) -> add(path(path, key), entry.value(), texts));
            if (map.entries().isEmpty() && !path.isEmpty()) {
                texts.put(path, "{}");
            }
        }
    }

    /** A step of a path: {@code queue.max-wait}, {@code [a.b].c} for a key with a dot, {@code [a]]b]} for one with a bracket. */
    public static String path(String parent, String key) {
        boolean isPlain = key.indexOf('.') < 0 && key.indexOf('[') < 0 && key.indexOf(']') < 0;
        String step = isPlain ? key : "[" + key.replace("]", "]]") + "]";
        return parent.isEmpty() ? step : parent + "." + step;
    }

    private FlatSlot below(Matcher step, Place keyAt) throws Unreadable {
        String inBrackets = step.group(1);
        String key = inBrackets == null ? step.group(2) : inBrackets.replace("]]", "]");
        boolean isIndex = inBrackets != null && inBrackets.matches("[0-9]+");
        if (isIndex && key.length() > MAX_DIGITS) {
            throw new Unreadable(keyAt, "must have lists of at most 10000 items");
        }
        if (text != null || !(isIndex ? named.isEmpty() : indexed.isEmpty())) {
            throw new Unreadable(keyAt, "must not have a key as two of text, map and list");
        }
        return isIndex
                ? indexed.computeIfAbsent(Integer.valueOf(key), any -> new FlatSlot(keyAt))
                : named.computeIfAbsent(TreeBuilder.key(key, keyAt), any -> new FlatSlot(keyAt));
    }

    private void set(TextNode value) throws Unreadable {
        if (text != null || !named.isEmpty() || !indexed.isEmpty()) {
            throw new Unreadable(value.at(), "must not have the same key twice");
        }
        text = value;
    }

    private Node node() throws Unreadable {
        if (text != null) {
            return switch (text.text()) {
                case "{}" -> new MapNode(text.at(), Map.of());
                case "[]" -> new ListNode(text.at(), List.of());
                default -> text;
            };
        }
        if (!indexed.isEmpty()) {
            return list();
        }
        Map<String, Entry> entries = new LinkedHashMap<>();
        for (Map.Entry<String, FlatSlot> entry : named.entrySet()) {
            entries.put(
                    entry.getKey(),
                    new Entry(entry.getValue().at, entry.getValue().node()));
        }
        return new MapNode(at, entries);
    }

    private ListNode list() throws Unreadable {
        if (indexed.lastKey() != indexed.size() - 1) {
            throw new Unreadable(at, "must have all items of a list from [0] on");
        }
        List<Node> items = new ArrayList<>();
        for (FlatSlot item : indexed.values()) {
            items.add(item.node());
        }
        return new ListNode(at, items);
    }
}
