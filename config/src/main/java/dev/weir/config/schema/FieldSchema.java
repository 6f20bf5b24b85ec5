package dev.weir.config.schema;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Signal;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import dev.weir.queue.discipline.DisciplineSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The schema of one field. */
final class FieldSchema {
    private static final Pattern WORDS = Pattern.compile("[a-z][a-z0-9-]*(\\|[a-z][a-z0-9-]*)*");

    private FieldSchema() {}

    static Map<String, Object> of(Field<?> field) {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("description", description(field));
        schema.putAll(type(field.type(), field));
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

    private static Map<String, Object> type(ValueType<?> type, Field<?> field) {
        if (type instanceof ValueType.Scalar<?> scalar) {
            return scalar(scalar, field);
        }
        if (type instanceof ValueType.ListOf<?> list) {
            Map<String, Object> element = type(list.element(), field);
            return Map.of("anyOf", List.of(element, ordered("type", "array", "items", element)));
        }
        if (type instanceof ValueType.MapOf<?> map) {
            return ordered("type", "object", "additionalProperties", type(map.value(), field));
        }
        if (type instanceof ValueType.Named<?> named) {
            return reference(kind(named.created()));
        }
        return reference("limit");
    }

    static String kind(Class<?> created) {
        if (created == DisciplineSpec.class) {
            return "discipline";
        }
        if (created == Controller.class) {
            return "controller";
        }
        if (created == Signal.class) {
            return "signal";
        }
        throw new IllegalArgumentException("must be a discipline, controller or signal, was " + created);
    }

    /** A definition may not stand beside other keywords in draft 07. */
    static Map<String, Object> reference(String definition) {
        return Map.of("allOf", List.of(Map.of("$ref", "#/definitions/" + definition)));
    }

    private static Map<String, Object> scalar(ValueType.Scalar<?> scalar, Field<?> field) {
        if (WORDS.matcher(scalar.pattern()).matches() && !scalar.pattern().equals("true|false")) {
            return Map.of("enum", List.of(scalar.pattern().split("\\|")));
        }
        Pattern pattern = Pattern.compile(scalar.pattern());
        List<Object> forms = new ArrayList<>();
        if (pattern.matcher("true").matches()) {
            forms.add(Map.of("type", "boolean"));
        }
        if (pattern.matcher("1").matches()) {
            forms.add(number(isWhole(pattern, field) ? "integer" : "number", field));
        }
        forms.add(ordered("type", "string", "pattern", "^(?:" + scalar.pattern() + ")$"));
        return Map.of("anyOf", forms);
    }

    private static boolean isWhole(Pattern pattern, Field<?> field) {
        return field.min() instanceof Long || !pattern.matcher("1.5").matches();
    }

    private static Map<String, Object> number(String type, Field<?> field) {
        Map<String, Object> number = ordered("type", type);
        if (field.min() instanceof Number min) {
            number.put("minimum", min);
        }
        if (field.max() instanceof Number max) {
            number.put("maximum", max);
        }
        return number;
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
