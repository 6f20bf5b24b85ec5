package dev.weir.config.document.tree;

import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.ListNode;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import dev.weir.config.document.tree.Unreadable.Fault;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A builder of a tree from the events of a parser, within limits that keep each later step short. */
public final class TreeBuilder {
    static final int MAX_DEPTH = 50;
    static final String TOO_DEEP = "must not have more than " + MAX_DEPTH + " maps and lists in each other";
    private static final int MAX_KEY = 256;
    private static final int MAX_FAULTS = 100;

    private final Deque<Open> open = new ArrayDeque<>();
    private final List<Fault> faults = new ArrayList<>();
    private @Nullable Node root;
    private final int maxNodes;
    private int nodes;

    public TreeBuilder(int maxNodes) {
        this.maxNodes = maxNodes;
    }

    private static final class Open {
        final Place at;
        final boolean isMap;
        final Map<String, Entry> entries = new LinkedHashMap<>();
        final List<Node> items = new ArrayList<>();

        @Nullable
        String key;

        Place keyAt = Place.NONE;

        Open(Place at, boolean isMap) {
            this.at = at;
            this.isMap = isMap;
        }

        Node node() {
            return isMap ? new MapNode(at, entries) : new ListNode(at, items);
        }
    }

    public void begin(boolean isMap, Place at) throws Unreadable {
        count(1, at);
        if (open.size() >= MAX_DEPTH) {
            throw new Unreadable(at, TOO_DEEP);
        }
        Open parent = open.peek();
        if (parent != null && parent.isMap && parent.key == null) {
            throw new Unreadable(at, "must not have a map or a list as a key");
        }
        open.push(new Open(at, isMap));
    }

    public Node end() throws Unreadable {
        Node node = open.pop().node();
        put(node);
        return node;
    }

    public Node text(Place at, String text, boolean isNull) throws Unreadable {
        count(1, at);
        TextNode node = new TextNode(at, text, isNull);
        put(node);
        return node;
    }

    /** Adds what is in the document already. */
    void again(Node node, Place at) throws Unreadable {
        count(node.size(), at);
        if (open.size() + node.height() > MAX_DEPTH) {
            throw new Unreadable(at, TOO_DEEP);
        }
        put(node);
    }

    /** Stands for what cannot be found, to go on behind it. */
    void missing(Place at, String rule) throws Unreadable {
        fault(at, rule, "");
        Open parent = open.peek();
        boolean isKey = parent != null && parent.isMap && parent.key == null;
        text(at, isKey ? "*" : "", !isKey);
    }

    private void count(int more, Place at) throws Unreadable {
        nodes += more;
        if (nodes > maxNodes) {
            throw new Unreadable(at, "must have at most " + maxNodes + " keys and values");
        }
    }

    private void put(Node node) throws Unreadable {
        Open parent = open.peek();
        if (parent == null) {
            root = node;
        } else if (!parent.isMap) {
            parent.items.add(node);
        } else if (parent.key == null) {
            parent.key = key(node);
            parent.keyAt = node.at();
        } else {
            if (parent.entries.putIfAbsent(parent.key, new Entry(parent.keyAt, node)) != null) {
                fault(parent.keyAt, "must not have the same key twice", parent.key);
            }
            parent.key = null;
        }
    }

    private static String key(Node node) throws Unreadable {
        if (!(node instanceof TextNode text) || text.isNull()) {
            throw new Unreadable(node.at(), "must have text as a key");
        }
        return key(text.text(), node.at());
    }

    static String key(String key, Place at) throws Unreadable {
        if (key.isEmpty() || key.length() > MAX_KEY) {
            throw new Unreadable(at, "must have keys of 1 to " + MAX_KEY + " characters");
        }
        return key;
    }

    private void fault(Place at, String rule, String value) {
        if (faults.size() < MAX_FAULTS) {
            faults.add(new Fault(at, rule, value));
        }
    }

    public Node root() throws Unreadable {
        if (!faults.isEmpty()) {
            throw new Unreadable(faults, root);
        }
        if (root == null
                || (root instanceof TextNode text
                        && (text.isNull() || text.text().isEmpty()))) {
            throw new Unreadable(Place.NONE, "must not be empty");
        }
        return root;
    }
}
