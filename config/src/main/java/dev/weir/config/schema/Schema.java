package dev.weir.config.schema;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Signal;
import dev.weir.config.builtin.Factories;
import dev.weir.config.builtin.FieldText;
import dev.weir.config.document.DocumentFields;
import dev.weir.config.document.tree.JsonText;
import dev.weir.config.factory.Factory;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.spi.StrategySpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The JSON Schema of documents. Draft 07, because editors understand it best: their YAML language server supports later drafts
 * only in part.
 */
public final class Schema {
    private static final String PREFIX = "algorithm-";
    private static final Pattern WORDS = Pattern.compile("[a-z][a-z0-9-]*(\\|[a-z][a-z0-9-]*)*");

    private final Factories known;
    private final Collection<Factory<?>> algorithms;
    /** The definitions of all types that fields refer to until now, by name. */
    private final Map<String, Map<String, Object>> types = new TreeMap<>();

    /** The fields that several factories have, with the names of their definitions. */
    private final Map<Field<?>, String> shared = new LinkedHashMap<>();

    private Schema(Factories known) {
        this.known = known;
        this.algorithms = known.all(StrategySpec.class).values();
        Set<Field<?>> seen = new HashSet<>();
        known.all()
                .forEach(factory -> factory.fields().stream()
                        .filter(field -> !seen.add(field))
                        .forEach(this::share));
    }

    private void share(Field<?> field) {
        String name = "field-" + field.name();
        while (!shared.containsKey(field) && shared.containsValue(name)) {
            name += "-too";
        }
        shared.putIfAbsent(field, name);
    }

    /** The schema with all factories that the class loaders of this thread and of the library find. */
    public static String text() {
        return JsonText.indented(new Schema(Factories.loaded()).document());
    }

    private Map<String, Object> document() {
        Map<String, Object> sections = ordered(
                "document", of(DocumentFields.HEADER),
                "templates", named("Limits from which others inherit, by name.", "fields"),
                "limits", named("The limits by name.", "limiter"),
                "removed", of(DocumentFields.REMOVED),
                "values", ordered("description", "Values of the application by key.", "type", "object"));
        Map<String, Object> document =
                ordered("$schema", "http://json-schema.org/draft-07/schema#", "title", "Limits of a service");
        document.putAll(object(sections, List.of("limits")));
        document.put("definitions", definitions());
        return document;
    }

    private Map<String, Object> definitions() {
        Map<String, Object> definitions = ordered(
                "limiter", ordered("allOf", List.of(to("fields"), to("complete"))),
                "limit", ordered("allOf", List.of(to("fields"), to("complete"), onlyLimit())),
                "fields", fields(),
                "complete", complete(),
                "names", names(),
                "discipline", choice("discipline", DisciplineSpec.class),
                "controller", choice("controller", Controller.class),
                "signal", choice("signal", Signal.class));
        algorithms.forEach(algorithm -> definitions.put(PREFIX + algorithm.name(), algorithm(algorithm)));
        shared.forEach((field, name) -> definitions.put(name, of(field)));
        definitions.putAll(types);
        return definitions;
    }

    private static Map<String, Object> named(String description, String definition) {
        return ordered("description", description, "type", "object", "additionalProperties", reference(definition));
    }

    private Map<String, Object> properties(List<Field<?>> fields) {
        Map<String, Object> properties = new LinkedHashMap<>();
        fields.forEach(field -> {
            String definition = shared.get(field);
            properties.put(field.name(), definition == null ? of(field) : to(definition));
        });
        return properties;
    }

    /** The name alone, if that suffices, or a map with the name and the fields. */
    private Map<String, Object> choice(String kind, Class<?> created) {
        Collection<Factory<?>> factories = known.all(created).values();
        List<Object> forms = new ArrayList<>();
        List<String> alone = factories.stream()
                .filter(factory -> factory.fields().stream().noneMatch(Field::required))
                .map(Factory::name)
                .toList();
        forms.add(ordered("description", "A " + kind + " by its name.", "enum", alone));
        for (Factory<?> factory : factories) {
            Map<String, Object> properties = ordered("name", Map.of("const", factory.name()));
            properties.putAll(properties(factory.fields()));
            List<String> required = new ArrayList<>(List.of("name"));
            required.addAll(required(factory.fields()));
            Map<String, Object> form = ordered("description", factory.description());
            form.putAll(object(properties, required));
            forms.add(form);
        }
        return Map.of("anyOf", forms);
    }

    /** Everything that may stand in a limit or in a part of one, such as a template. */
    private Map<String, Object> fields() {
        Map<String, Object> properties = ordered("algorithm", algorithmNames());
        properties.putAll(properties(DocumentFields.LIMITER));
        Map<String, Map<Field<?>, Object>> own = new LinkedHashMap<>();
        List<Object> rules = new ArrayList<>();
        for (Factory<?> algorithm : algorithms) {
            String definition = PREFIX + algorithm.name();
            for (Field<?> field : algorithm.fields()) {
                own.computeIfAbsent(field.name(), any -> new LinkedHashMap<>())
                        .putIfAbsent(field, to(definition + "/properties/" + field.name()));
            }
            Map<String, Object> isNamed = ordered(
                    "properties",
                    ordered("algorithm", ordered("const", algorithm.name())),
                    "required",
                    List.of("algorithm"));
            rules.add(ordered("if", isNamed, "then", to(definition)));
        }
        own.forEach((name, forms) -> properties.put(name, ordered("anyOf", List.copyOf(forms.values()))));
        Map<String, Object> fields = ordered("description", "A limit, and what belongs to it.");
        fields.putAll(object(properties, List.of()));
        fields.put("allOf", rules);
        return fields;
    }

    private Map<String, Object> algorithmNames() {
        List<Object> names = new ArrayList<>();
        algorithms.forEach(
                algorithm -> names.add(ordered("const", algorithm.name(), "description", algorithm.description())));
        return ordered(
                "description",
                "How permits are counted. Default: semaphore with concurrency, token-bucket with rate; budget and throttle with these.",
                "oneOf",
                names);
    }

    /** The fields of a limit that no algorithm has. */
    private static Map<String, Object> names() {
        List<String> names = new ArrayList<>(List.of("algorithm"));
        names.addAll(DocumentFields.names(DocumentFields.LIMITER));
        return ordered("enum", names);
    }

    /** The fields of one algorithm, and none of another. */
    private Map<String, Object> algorithm(Factory<?> algorithm) {
        Map<String, Object> properties = properties(algorithm.fields());
        Object names = properties.isEmpty()
                ? to("names")
                : ordered("anyOf", List.of(to("names"), ordered("enum", List.copyOf(properties.keySet()))));
        return ordered("description", algorithm.description(), "properties", properties, "propertyNames", names);
    }

    /** The fields that a limit must have, and the algorithm that it has without a name. */
    private static Map<String, Object> complete() {
        List<Object> one = new ArrayList<>();
        DocumentFields.DEFAULTS.keySet().forEach(name -> one.add(ordered("required", List.of(name))));
        List.of("all-of", "algorithm", "template").forEach(name -> one.add(ordered("required", List.of(name))));
        List<Object> unnamed = new ArrayList<>();
        DocumentFields.DEFAULTS.forEach((amount, algorithm) -> unnamed.add(unnamed(amount, algorithm)));
        return ordered("anyOf", one, "allOf", unnamed);
    }

    private static Map<String, Object> unnamed(String amount, String algorithm) {
        return ordered(
                "if",
                ordered(
                        "required", List.of(amount),
                        "properties", ordered("algorithm", false, "template", false, "all-of", false)),
                "then",
                to(PREFIX + algorithm));
    }

    private static Map<String, Object> onlyLimit() {
        Map<String, Object> none = new LinkedHashMap<>();
        DocumentFields.names(DocumentFields.LIMITER).forEach(name -> none.put(name, false));
        none.keySet().removeAll(DocumentFields.names(DocumentFields.LIMIT));
        return ordered("properties", none);
    }

    private static Map<String, Object> to(String definition) {
        return ordered("$ref", "#/definitions/" + definition);
    }

    private Map<String, Object> of(Field<?> field) {
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
            return reference(Factories.kind(named.created()));
        }
        if (type instanceof ValueType.Section<?> section) {
            return section(section);
        }
        return reference("limit");
    }

    /** The map, or one word that stands for one of its fields. */
    private Map<String, Object> section(ValueType.Section<?> section) {
        Map<String, Object> properties = properties(section.fields());
        // What a rollout brings is a part of a limit, not a whole one.
        properties.computeIfPresent("to", (name, any) -> reference("fields"));
        Map<String, Object> map = object(properties, required(section.fields()));
        Field<?> alone = section.alone();
        List<Object> forms = new ArrayList<>();
        if (alone != null) {
            forms.add(of(alone));
        }
        if (section.off() && !section.isSwitch()) {
            forms.add(ordered("description", "None.", "enum", List.of(false, "false")));
        }
        forms.add(map);
        return forms.size() == 1 ? map : Map.of("anyOf", forms);
    }

    private static Map<String, Object> object(Map<String, Object> properties, List<String> required) {
        return ordered("type", "object", "properties", properties, "required", required, "additionalProperties", false);
    }

    private static List<String> required(List<Field<?>> fields) {
        return fields.stream().filter(Field::required).map(Field::name).toList();
    }

    /** A definition may not stand beside other keywords in draft 07. */
    private static Map<String, Object> reference(String definition) {
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

    private static Map<String, Object> ordered(Object... entries) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < entries.length; i += 2) {
            map.put((String) entries[i], entries[i + 1]);
        }
        return map;
    }
}
