package dev.weir.config.schema;

import dev.weir.config.builtin.FieldText;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The schemas of fields, and the definitions of the types of their values, which they refer to. */
final class FieldSchema {
    private static final Pattern WORDS = Pattern.compile("[a-z][a-z0-9-]*(\\|[a-z][a-z0-9-]*)*");

    private final Map<String, Map<String, Object>> types = new TreeMap<>();

    /** The definitions of all types that fields refer to until now, by name. */
    Map<String, Map<String, Object>> types() {
        return types;
    }

    Map<String, Object> of(Field<?> field) {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("description", description(field));
        schema.putAll(type(field.type()));
        if (field.min() instanceof Number min) {
            schema.put("minimum", min);
        }
        if (field.max() instanceof Number max) {
            schema.put("maximum", max);
        }
        Object fallback = field.fallback();
        if (fallback instanceof Number || fallback instanceof Boolean) {
            schema.put("default", fallback);
        } else if (fallback != null
                && !fallback.equals("")
                && !(fallback instanceof Map)
                && !(fallback instanceof List)) {
            schema.put("default", FieldText.of(fallback));
        }
        return schema;
    }

    private static String description(Field<?> field) {
        String range = FieldText.range(field);
        return range.isEmpty() ? field.description() : field.description() + " Range: " + range + ".";
    }

    private Map<String, Object> type(ValueType<?> type) {
        if (type instanceof ValueType.Scalar<?> scalar) {
            return scalar(scalar);
        }
        if (type instanceof ValueType.ListOf<?> list) {
            Map<String, Object> element = type(list.element());
            return Map.of("anyOf", List.of(element, ordered("type", "array", "items", element)));
        }
        if (type instanceof ValueType.MapOf<?> map) {
            return ordered("type", "object", "additionalProperties", type(map.value()));
        }
        if (type instanceof ValueType.Named<?> named) {
            return reference(FieldText.kind(named.created()));
        }
        return reference("limit");
    }

    /** A definition may not stand beside other keywords in draft 07. */
    static Map<String, Object> reference(String definition) {
        return Map.of("allOf", List.of(Map.of("$ref", "#/definitions/" + definition)));
    }

    private Map<String, Object> scalar(ValueType.Scalar<?> scalar) {
        if (WORDS.matcher(scalar.pattern()).matches() && !scalar.pattern().equals("true|false")) {
            return Map.of("enum", List.of(scalar.pattern().split("\\|")));
        }
        Map<String, Object> definition = definition(scalar);
        String name = FieldText.label(scalar)
                .replaceFirst("^an? ", "")
                .replaceFirst(" (of|from) .*", "")
                .replace(' ', '-');
        String free = name;
        for (int i = 2; !definition.equals(types.getOrDefault(free, definition)); i++) {
            free = name + "-" + i;
        }
        types.put(free, definition);
        return reference(free);
    }

    private static Map<String, Object> definition(ValueType.Scalar<?> scalar) {
        Pattern pattern = Pattern.compile(scalar.pattern());
        List<Object> forms = new ArrayList<>();
        if (pattern.matcher("true").matches()) {
            forms.add(Map.of("type", "boolean"));
        }
        if (pattern.matcher("1").matches()) {
            forms.add(Map.of("type", isWhole(scalar) ? "integer" : "number"));
        }
        forms.add(ordered("type", "string", "pattern", "^(?:" + scalar.pattern() + ")$"));
        return ordered("description", scalar.label(), "anyOf", forms);
    }

    private static boolean isWhole(ValueType.Scalar<?> scalar) {
        try {
            return scalar.parse().apply("0.5") == null;
        } catch (IllegalArgumentException e) {
            return true;
        }
    }

    /** A map of these keys and values in this order. */
    static Map<String, Object> ordered(Object... entries) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < entries.length; i += 2) {
            map.put((String) entries[i], entries[i + 1]);
        }
        return map;
    }
}
