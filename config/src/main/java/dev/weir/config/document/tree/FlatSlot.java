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
import org.jspecify.annotations.Nullable;

/**
 * A value of a tree of flat keys while it is built: text, a map or a list, as the first key with it says. {@code a.b[0].c} is the
 * key {@code c} in the first item of the list {@code b} in the map {@code a}; {@code [x.y]} is one key with a dot. The texts
 * {@code {}} and {@code []} are an empty map and an empty list.
 */
public final class FlatSlot {
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
            FlatSlot slot = root;
            for (FlatKey.Step step : FlatKey.of(entry.getKey(), at)) {
                slot = slot.at(step, at);
            }
            slot.set(entry.getValue());
        }
        return root.node();
    }

    /** The value one step below. */
    private FlatSlot at(FlatKey.Step step, Place keyAt) throws Unreadable {
        boolean isKey = step.index() < 0;
        if (text != null || !(isKey ? indexed.isEmpty() : named.isEmpty())) {
            throw new Unreadable(keyAt, "must not have a key as two of text, map and list");
        }
        return isKey
                ? named.computeIfAbsent(step.name(), any -> new FlatSlot(keyAt))
                : indexed.computeIfAbsent(step.index(), any -> new FlatSlot(keyAt));
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
                case "{}" -> MapNode.of(text.at(), Map.of());
                case "[]" -> ListNode.of(text.at(), List.of());
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
        return MapNode.of(at, entries);
    }

    private ListNode list() throws Unreadable {
        if (indexed.lastKey() != indexed.size() - 1) {
            throw new Unreadable(at, "must have all items of a list from [0] on");
        }
        List<Node> items = new ArrayList<>();
        for (FlatSlot item : indexed.values()) {
            items.add(item.node());
        }
        return ListNode.of(at, items);
    }
}
