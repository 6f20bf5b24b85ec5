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

/** A value of properties while they are read: text, a map or a list, as the first line with it says. */
final class PropertiesSlot {
    private final Place at;
    private final Map<String, PropertiesSlot> named = new LinkedHashMap<>();
    private final SortedMap<Integer, PropertiesSlot> indexed = new TreeMap<>();
    private @Nullable TextNode text;

    PropertiesSlot(Place at) {
        this.at = at;
    }

    /** The value one step below. */
    PropertiesSlot at(PropertiesPath.Step step, Place keyAt) throws Unreadable {
        boolean isKey = step.index() < 0;
        if (text != null || !(isKey ? indexed.isEmpty() : named.isEmpty())) {
            throw new Unreadable(keyAt, "must not have a key as two of text, map and list");
        }
        return isKey
                ? named.computeIfAbsent(step.name(), any -> new PropertiesSlot(keyAt))
                : indexed.computeIfAbsent(step.index(), any -> new PropertiesSlot(keyAt));
    }

    /** Sets the text; false if there is something already. */
    boolean set(String value, Place valueAt) {
        if (text != null || !named.isEmpty() || !indexed.isEmpty()) {
            return false;
        }
        text = new TextNode(valueAt, value, false);
        return true;
    }

    Node node() throws Unreadable {
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
        for (Map.Entry<String, PropertiesSlot> entry : named.entrySet()) {
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
        for (PropertiesSlot item : indexed.values()) {
            items.add(item.node());
        }
        return ListNode.of(at, items);
    }
}
