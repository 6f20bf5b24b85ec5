package dev.weir.config.document;

import dev.weir.config.builtin.Factories;
import dev.weir.config.builtin.FieldText;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.ListNode;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import dev.weir.config.factory.Factory;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A reader of values of known types. What is wrong is reported to the scope; then the result is null. */
final class ValueReader {
    static final String NAME = "name";
    private static final double PERCENT = 100;

    private ValueReader() {}

    private static <T> @Nullable T section(ValueType.Section<T> section, Node node, Scope scope) {
        MapNode map = section.off() && node.is("false") ? null : sectionMap(section, node, scope);
        if (map == null) {
            return null;
        }
        ReadValues values = fields(map, section.fields(), Set.of(), scope);
        return values == null
                ? null
                : scope.guarded(map, () -> section.creation().apply(values));
    }

    /** The map of a section; one word stands for a map with the field that may be alone. */
    static @Nullable MapNode sectionMap(ValueType.Section<?> section, Node node, Scope scope) {
        if (node instanceof MapNode map) {
            return map;
        }
        Field<?> alone = section.alone();
        // What is meant is false, and the problem would be one of the field.
        boolean isMistaken = section.off() && (node.is("none") || (node.is("true") && !section.isSwitch()));
        if (alone != null && node instanceof TextNode text && !text.isNull() && !isMistaken) {
            if (!section.isSwitch()) {
                return MapNode.of(alone.name(), node);
            }
            if (node.is("true")) {
                return new MapNode(node.at(), Map.of());
            }
        }
        scope.wrong(node, "must be " + section.label());
        return null;
    }

    /** The values of these fields, if all are right. The keys of {@code others} may be there too. */
    static @Nullable ReadValues fields(MapNode map, List<? extends Field<?>> fields, Set<String> others, Scope scope) {
        long before = scope.count();
        ReadValues values = given(map, fields, others, scope);
        return scope.count() == before ? values : null;
    }

    /** The values of those of the fields that are right. */
    static ReadValues given(MapNode map, List<? extends Field<?>> fields, Set<String> others, Scope scope) {
        Map<String, Field<?>> known = new LinkedHashMap<>();
        fields.forEach(field -> known.put(field.name(), field));
        Set<String> names = new LinkedHashSet<>(known.keySet());
        names.addAll(others);
        Map<String, Object> given = new HashMap<>();
        map.entries().forEach((key, entry) -> {
            Field<?> field = known.get(key);
            if (field != null) {
                Object value = field(field, entry.value(), scope.at(key));
                if (value != null) {
                    given.put(key, value);
                }
            } else if (!others.contains(key)) {
                List<String> inside = scope.inside().getOrDefault(Suggestion.plain(key), List.of());
                String split = Suggestion.split(key, entry.value(), names);
                String rule = split.isEmpty() ? Suggestion.field(key, names, inside) : split;
                scope.at(key).problem(entry.key(), isDotted(entry, scope) ? dotted(rule, key, scope) : rule, "");
            }
        });
        for (Field<?> field : known.values()) {
            if (field.required() && !map.entries().containsKey(field.name())) {
                scope.at(field.name()).problem(map.at(), "must be given", "");
            }
        }
        return new ReadValues(map, given, scope);
    }

    /* In a tree of flat keys, a dot in the name of a limit ends it. */
    private static boolean isDotted(Entry entry, Scope scope) {
        boolean isOfLimit = scope.path().isEmpty() && !scope.limiter().isEmpty();
        return isOfLimit && !entry.key().origin().isEmpty() && entry.value() instanceof MapNode;
    }

    private static String dotted(String rule, String key, Scope scope) {
        int known = rule.indexOf("; known: ");
        String advice = "; a name with a dot is written \"[" + scope.limiter() + "." + key + "]\"";
        return (known < 0 ? rule : rule.substring(0, known)) + advice;
    }

    private static <T> @Nullable T field(Field<T> field, Node node, Scope scope) {
        T value = value(field.type(), node, scope);
        if (value == null) {
            return null;
        }
        boolean isLow = field.min() != null && compare(value, field.min()) < 0;
        boolean isHigh = field.max() != null && compare(value, field.max()) > 0;
        if (isLow || isHigh) {
            scope.problem(node, range(field) + (isHigh ? percent(value, field, node) : ""));
            return null;
        }
        return value;
    }

    @SuppressWarnings("unchecked")
    private static <T> int compare(T value, T bound) {
        return value instanceof Comparable<?> comparable ? ((Comparable<Object>) comparable).compareTo(bound) : 0;
    }

    /* A share of 10 is most probably meant to be 10%. */
    private static String percent(Object value, Field<?> field, Node node) {
        boolean isShare =
                field.max() instanceof Double most && most == 1 && value instanceof Double share && share <= PERCENT;
        return isShare && node instanceof TextNode text && !text.text().endsWith("%")
                ? "; did you mean " + text.text() + "%?"
                : "";
    }

    private static String range(Field<?> field) {
        String low = field.min() == null ? "" : ">= " + FieldText.of(field.min());
        String high = field.max() == null ? "" : "<= " + FieldText.of(field.max());
        return "must be " + low + (low.isEmpty() || high.isEmpty() ? "" : " and ") + high;
    }

    /* Each branch returns what its type says. */
    @SuppressWarnings("unchecked")
    static <T> @Nullable T value(ValueType<T> type, Node node, Scope scope) {
        if (type instanceof ValueType.Scalar<T> scalar) {
            return scalar(scalar, node, scope);
        }
        if (type instanceof ValueType.ListOf<?> list) {
            return (T) list(list.element(), node, scope);
        }
        if (type instanceof ValueType.MapOf<?> map) {
            return (T) map(map.value(), node, scope);
        }
        if (type instanceof ValueType.Named<?> named) {
            return (T) named(named.created(), node, scope);
        }
        if (type instanceof ValueType.Section<T> section) {
            return section(section, node, scope);
        }
        return (T) LimitReader.read(node, LimitReader.BESIDE, scope);
    }

    private static <T> @Nullable T scalar(ValueType.Scalar<T> type, Node node, Scope scope) {
        if (!(node instanceof TextNode text) || text.isNull()) {
            scope.wrong(node, "must be " + type.label());
            return null;
        }
        try {
            T value = type.parse().apply(text.text());
            if (value != null) {
                return value;
            }
            scope.problem(node, "must be " + type.label());
        } catch (IllegalArgumentException e) {
            scope.problem(node, e.getMessage() == null ? "must be " + type.label() : e.getMessage());
        } catch (Throwable t) {
            scope.problem(node, "must be " + type.label() + " (" + t.getClass().getSimpleName() + ")");
        }
        return null;
    }

    private static <E> @Nullable List<E> list(ValueType<E> type, Node node, Scope scope) {
        if (!(node instanceof ListNode list)) {
            E only = value(type, node, scope);
            return only == null ? null : List.of(only);
        }
        List<E> values = new ArrayList<>();
        for (int i = 0; i < list.items().size(); i++) {
            E value = value(type, list.items().get(i), scope.at(i));
            if (value != null) {
                values.add(value);
            }
        }
        return values.size() == list.items().size() ? List.copyOf(values) : null;
    }

    private static <E> @Nullable Map<String, E> map(ValueType<E> type, Node node, Scope scope) {
        if (!(node instanceof MapNode map)) {
            scope.wrong(node, "must be a map");
            return null;
        }
        Map<String, E> values = new LinkedHashMap<>();
        for (Map.Entry<String, Entry> entry : map.entries().entrySet()) {
            E value = value(type, entry.getValue().value(), scope.at(entry.getKey()));
            if (value != null) {
                values.put(entry.getKey(), value);
            }
        }
        return values.size() == map.entries().size() ? java.util.Collections.unmodifiableMap(values) : null;
    }

    private static @Nullable Object named(Class<?> created, Node node, Scope scope) {
        MapNode map = node instanceof MapNode given ? given : new MapNode(node.at(), Map.of());
        Node name = node instanceof MapNode ? map.get(NAME) : node;
        if (name == null) {
            scope.at(NAME).problem(map.at(), "must be given", "");
            return null;
        }
        if (!(name instanceof TextNode text) || text.isNull()) {
            Set<String> known = scope.factories().all(created).keySet();
            scope.wrong(name, "must be one of " + String.join(", ", known));
            return null;
        }
        Factory<?> factory = factory(created, text, scope);
        return factory == null ? null : created(factory, map, Set.of(NAME), scope);
    }

    /** The factory of a name; null after a problem. */
    static @Nullable Factory<?> factory(Class<?> created, TextNode name, Scope scope) {
        Factories factories = scope.factories();
        Factory<?> found = factories.find(created, name.text()).orElse(null);
        String twice = factories.twice(created, name.text());
        if (!twice.isEmpty()) {
            scope.problem(name, "is the name of several factories: " + twice);
        } else if (found == null) {
            Set<String> failures = factories.failures(created);
            String rule = Suggestion.rule(name.text(), factories.all(created).keySet());
            scope.problem(
                    name, failures.isEmpty() ? rule : rule + " (not loaded: " + String.join("; ", failures) + ")");
        }
        return found;
    }

    /** The object that the factory creates from this map. Whatever it throws is a problem of the map. */
    static <T> @Nullable T created(Factory<T> factory, MapNode map, Set<String> others, Scope scope) {
        return scope.guarded(map, () -> {
            ReadValues values = fields(map, factory.fields(), others, scope);
            T created = values == null ? null : factory.create(values);
            if (values != null && created == null) {
                String rule = "cannot be created: the factory of " + factory.name() + " returned null";
                scope.problem(map.at(), rule, "");
            }
            return created;
        });
    }
}
