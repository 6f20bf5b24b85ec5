package dev.weir.config.document;

import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.ListNode;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A tree as text by path: {@code queue.max-wait}, {@code all-of[0].rate}, and {@code [a.b].c} for a key with a dot. */
final class Flat {
    private Flat() {}

    static String path(String parent, String key) {
        boolean isPlain = key.indexOf('.') < 0 && key.indexOf('[') < 0 && key.indexOf(']') < 0;
        String step = isPlain ? key : "[" + key + "]";
        return parent.isEmpty() ? step : parent + "." + step;
    }

    static Map<String, String> of(MapNode map) {
        Map<String, String> settings = new TreeMap<>();
        add("", map, settings);
        return settings;
    }

    private static void add(String path, Node node, Map<String, String> settings) {
        if (node instanceof TextNode text) {
            settings.put(path, text.isNull() ? text.what() : text.text());
        } else if (node instanceof ListNode list) {
            List<Node> items = list.items();
            for (int i = 0; i < items.size(); i++) {
                add(path + "[" + i + "]", items.get(i), settings);
            }
            if (items.isEmpty()) {
                settings.put(path, "[]");
            }
        } else if (node instanceof MapNode map) {
            for (Map.Entry<String, Entry> entry : map.entries().entrySet()) {
                add(path(path, entry.getKey()), entry.getValue().value(), settings);
            }
            if (map.entries().isEmpty() && !path.isEmpty()) {
                settings.put(path, "{}");
            }
        }
    }
}
