package dev.weir.config.document;

import dev.weir.config.builtin.Factories;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.ListNode;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Unreadable;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/** The names of all fields of documents, found without hyphens, underscores and case. Immutable. */
final class FieldNames {
    private final Map<String, String> known = new HashMap<>();
    /** The names of fields that are maps with keys of the user. */
    private final Set<String> maps = new HashSet<>();

    FieldNames(Factories factories) {
        Sections.NAMES.forEach(this::add);
        add(LimitReader.ALGORITHM);
        add(ValueReader.NAME);
        add(DocumentFields.HEADER);
        DocumentFields.LIMITER.forEach(this::add);
        factories.all().forEach(factory -> Factories.fields(factory).forEach(this::add));
    }

    private void add(Field<?> field) {
        add(field.name());
        if (field.type() instanceof ValueType.MapOf<?>) {
            maps.add(field.name());
        } else if (field.type() instanceof ValueType.Section<?> section) {
            section.fields().forEach(this::add);
        }
    }

    private void add(String name) {
        known.putIfAbsent(Suggestion.plain(name), name);
    }

    private String of(String name) {
        return known.getOrDefault(Suggestion.plain(name), name);
    }

    /** A document with the names of fields as they are known; those of limits and templates, and keys of values, stay. */
    Node in(Node document) throws Unreadable {
        List<Unreadable.Fault> twice = new ArrayList<>();
        Node named = renamed(document, this::of, twice, (section, node) -> switch (section) {
            case Sections.VALUES -> node;
            case Sections.DOCUMENT -> fields(node, twice);
            default -> renamed(node, name -> name, twice, (name, limit) -> fields(limit, twice));
        });
        if (!twice.isEmpty()) {
            throw new Unreadable(twice);
        }
        return named;
    }

    private Node fields(Node node, List<Unreadable.Fault> twice) {
        return node instanceof ListNode list
                ? new ListNode(
                        list.at(),
                        list.items().stream().map(item -> fields(item, twice)).toList())
                : renamed(node, this::of, twice, (name, value) -> maps.contains(name) ? value : fields(value, twice));
    }

    /** A map with other names, and what is in them; any other node as it is. */
    private static Node renamed(
            Node node,
            UnaryOperator<String> name,
            List<Unreadable.Fault> twice,
            BiFunction<String, Node, Node> inside) {
        if (!(node instanceof MapNode map)) {
            return node;
        }
        Map<String, Entry> entries = new LinkedHashMap<>();
        map.entries().forEach((given, entry) -> {
            String known = name.apply(given);
            Entry named = new Entry(entry.key(), inside.apply(known, entry.value()));
            if (entries.putIfAbsent(known, named) != null) {
                twice.add(new Unreadable.Fault(entry.key(), "must not have the same key twice", given));
            }
        });
        return new MapNode(map.at(), entries);
    }
}
