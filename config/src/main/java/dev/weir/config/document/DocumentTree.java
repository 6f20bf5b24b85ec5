package dev.weir.config.document;

import dev.weir.config.document.tree.FlatSlot;
import dev.weir.config.document.tree.JsonText;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.ListNode;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import dev.weir.config.document.tree.Place;
import dev.weir.config.document.tree.TreeBuilder;
import dev.weir.config.document.tree.Unreadable;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A document as nested maps instead of text, such as the properties of an environment. The values are maps with text as keys,
 * lists, texts, numbers and booleans; {@code 40} and {@code "40"} say the same. Names of fields are compared without hyphens,
 * underscores and case: {@code max-wait}, {@code maxWait} and {@code MAX_WAIT} are one field. Names of limits and templates and
 * keys of values are compared as they are.
 *
 * <p>What is not such a tree is refused like any wrong document when it is read, not when this is created. Immutable.
 */
public final class DocumentTree {
    /**
     * A value of a tree with the place that it comes from.
     *
     * @param value as in a tree without places
     * @param origin such as {@code application.yml:12}: problems name it. Values in a map or a list have its origin if they have
     *     none of their own
     */
    public record Located(@Nullable Object value, String origin) {}

    private static final int MAX_DEPTH = 50;

    private final Node root;
    private final @Nullable Unreadable fault;
    private final byte[] json;

    private DocumentTree(Node root, @Nullable Unreadable fault) {
        this.root = root;
        this.fault = fault;
        json = JsonText.of(json(root)).getBytes(StandardCharsets.UTF_8);
    }

    private interface Building {
        Node build() throws Unreadable;
    }

    private static DocumentTree built(Building building) {
        try {
            return new DocumentTree(building.build(), null);
        } catch (Unreadable e) {
            return new DocumentTree(new TextNode(Place.NONE, e.faults().toString(), false), e);
        }
    }

    /**
     * The tree of nested maps, of which a copy is kept.
     *
     * @param tree its values, and those inside, may be {@link Located}
     */
    public static DocumentTree of(Map<String, ?> tree) {
        return built(() -> {
            TreeBuilder builder = new TreeBuilder(Integer.MAX_VALUE);
            add(tree, place(tree, 0), builder);
            return builder.root();
        });
    }

    /**
     * The tree of keys such as {@code limits.checkout.all-of[0].rate}, as properties have them: {@code [a.b]} is one key with a
     * dot, and the texts {@code {}} and {@code []} are an empty map and an empty list.
     *
     * @param values texts, numbers or booleans by key, which may be {@link Located}
     */
    public static DocumentTree ofKeys(Map<String, ?> values) {
        return built(() -> {
            SortedMap<String, TextNode> texts = new TreeMap<>();
            for (Map.Entry<String, ?> entry : values.entrySet()) {
                Object value = entry.getValue();
                texts.put(entry.getKey(), text(plain(value), place(value, 0)));
            }
            return FlatSlot.tree(texts);
        });
    }

    /**
     * A tree that is refused when it is read, because its source breaks these rules.
     *
     * @param rules such as {@code "a.b must not be a text and a map"}, at least one, each with its origin
     * @throws IllegalArgumentException if there is none
     */
    public static DocumentTree broken(List<Located> rules) {
        if (rules.isEmpty()) {
            throw new IllegalArgumentException("rules must be >= 1, were 0");
        }
        return built(() -> {
            throw new Unreadable(rules.stream()
                    .map(each -> new Unreadable.Fault(place(each, 0), String.valueOf(each.value), ""))
                    .toList());
        });
    }

    private static void add(@Nullable Object value, Place at, TreeBuilder builder) throws Unreadable {
        Object plain = plain(value);
        if (plain instanceof Map<?, ?> map) {
            builder.begin(true, at);
            for (Map.Entry<String, ?> entry : sorted(map, at).entrySet()) {
                Place inside = placeIn(at, entry.getValue());
                builder.text(inside, entry.getKey(), false);
                add(entry.getValue(), inside, builder);
            }
            builder.end();
        } else if (plain instanceof Collection<?> list) {
            builder.begin(false, at);
            for (Object item : list) {
                add(item, placeIn(at, item), builder);
            }
            builder.end();
        } else {
            TextNode text = text(plain, at);
            builder.text(at, text.text(), text.isNull());
        }
    }

    private static Place placeIn(Place outer, @Nullable Object value) {
        Place own = place(value, 0);
        return own.equals(Place.NONE) ? outer : own;
    }

    /** The place of the value, or of the first one in it. */
    private static Place place(@Nullable Object value, int depth) {
        if (value instanceof Located located) {
            return Place.of(located.origin);
        }
        Collection<?> inside =
                value instanceof Map<?, ?> map ? map.values() : value instanceof Collection<?> list ? list : List.of();
        return depth > MAX_DEPTH || inside.isEmpty()
                ? Place.NONE
                : place(inside.iterator().next(), depth + 1);
    }

    private static @Nullable Object plain(@Nullable Object value) {
        return value instanceof Located located ? plain(located.value) : value;
    }

    private static SortedMap<String, ?> sorted(Map<?, ?> map, Place at) throws Unreadable {
        SortedMap<String, @Nullable Object> sorted = new TreeMap<>();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            if (!(entry.getKey() instanceof String key)) {
                throw new Unreadable(at, "must have text as a key");
            }
            sorted.put(key, entry.getValue());
        }
        return sorted;
    }

    private static TextNode text(@Nullable Object value, Place at) throws Unreadable {
        if (value == null) {
            return new TextNode(at, "", true);
        }
        if (value instanceof CharSequence || value instanceof Boolean) {
            return new TextNode(at, value.toString(), false);
        }
        if (!(value instanceof Number)) {
            throw new Unreadable(
                    at,
                    "must have maps, lists, texts, numbers and booleans only, not "
                            + value.getClass().getName());
        }
        String digits = value.toString();
        try {
            return new TextNode(at, new BigDecimal(digits).stripTrailingZeros().toPlainString(), false);
        } catch (NumberFormatException notFinite) {
            return new TextNode(at, digits, false);
        }
    }

    private static @Nullable Object json(Node node) {
        if (node instanceof MapNode map) {
            Map<String, @Nullable Object> members = new LinkedHashMap<>();
            map.entries().forEach((key, entry) -> members.put(key, json(entry.value())));
            return members;
        }
        if (node instanceof ListNode list) {
            List<@Nullable Object> items = new ArrayList<>();
            list.items().forEach(item -> items.add(json(item)));
            return items;
        }
        return node instanceof TextNode text && !text.isNull() ? text.text() : null;
    }

    /** The tree as JSON in UTF-8, without places: equal trees have equal bytes, in whatever order their maps are. */
    public byte[] json() {
        return json.clone();
    }

    /** The tree, with fields named as they are; throws if it is none. */
    Node root() throws Unreadable {
        if (fault != null) {
            throw fault;
        }
        return root;
    }
}
