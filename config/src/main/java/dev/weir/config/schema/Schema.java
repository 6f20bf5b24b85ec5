package dev.weir.config.schema;

import static dev.weir.config.schema.FieldSchema.ordered;
import static dev.weir.config.schema.FieldSchema.reference;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Signal;
import dev.weir.config.builtin.Factories;
import dev.weir.config.document.DocumentFields;
import dev.weir.config.document.Section;
import dev.weir.config.document.tree.JsonText;
import dev.weir.config.factory.Factory;
import dev.weir.config.factory.Field;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.spi.StrategySpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The JSON Schema of documents. Draft 07, because editors understand it best: their YAML language server supports later drafts
 * only in part.
 */
public final class Schema {
    private static final String PREFIX = "algorithm-";

    private final Factories known;
    private final Collection<Factory<?>> algorithms;
    private final FieldSchema fieldSchema = new FieldSchema();

    /** The fields that several factories have, with the names of their definitions. */
    private final Map<Field<?>, String> shared = new LinkedHashMap<>();

    private Schema(Factories known) {
        this.known = known;
        this.algorithms = known.all(StrategySpec.class).values();
        Set<Field<?>> seen = new HashSet<>();
        for (Class<?> created : List.of(StrategySpec.class, DisciplineSpec.class, Controller.class, Signal.class)) {
            for (Factory<?> factory : known.all(created).values()) {
                factory.fields().stream().filter(field -> !seen.add(field)).forEach(this::share);
            }
        }
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
                "document", section(DocumentFields.HEADER),
                "templates", named("Limits from which others inherit, by name.", "fields"),
                "limits", named("The limits by name.", "limiter"),
                "removed", fieldSchema.of(DocumentFields.REMOVED),
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
        shared.forEach((field, name) -> definitions.put(name, fieldSchema.of(field)));
        definitions.putAll(fieldSchema.types());
        return definitions;
    }

    private static Map<String, Object> named(String description, String definition) {
        return ordered("description", description, "type", "object", "additionalProperties", reference(definition));
    }

    /** The map, or one word that stands for one of its fields. */
    private Map<String, Object> section(Section section) {
        Map<String, Object> map = object(inside(section), required(section.fields()));
        Field<?> alone = section.alone();
        Map<String, Object> described = ordered("description", section.description());
        if (alone == null) {
            described.putAll(map);
        } else {
            described.put("anyOf", List.of(fieldSchema.of(alone), map));
        }
        return described;
    }

    /** A map that has nothing else. */
    private static Map<String, Object> object(Map<String, Object> properties, List<String> required) {
        return ordered("type", "object", "properties", properties, "required", required, "additionalProperties", false);
    }

    private Map<String, Object> inside(Section section) {
        Map<String, Object> properties = properties(section.fields());
        section.parts().forEach(part -> properties.put(part.name(), section(part)));
        if (section.name().equals("rollout")) {
            properties.put("to", reference("fields"));
        }
        return properties;
    }

    private static List<String> required(List<Field<?>> fields) {
        return fields.stream().filter(Field::required).map(Field::name).toList();
    }

    private Map<String, Object> properties(List<Field<?>> fields) {
        Map<String, Object> properties = new LinkedHashMap<>();
        fields.forEach(field -> {
            String definition = shared.get(field);
            properties.put(field.name(), definition == null ? fieldSchema.of(field) : to(definition));
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
        properties.putAll(inside(DocumentFields.LIMITER));
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
        Map<String, Object> fields = ordered("description", DocumentFields.LIMITER.description());
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
                "How permits are counted. Default: semaphore with concurrency, token-bucket with rate.",
                "oneOf",
                names);
    }

    /** The fields of a limit that no algorithm has. */
    private static Map<String, Object> names() {
        List<String> names = new ArrayList<>(List.of("algorithm"));
        names.addAll(DocumentFields.LIMITER.names());
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

    /** What a limit must have, and the algorithm that it has without a name. */
    private static Map<String, Object> complete() {
        List<Object> one = new ArrayList<>();
        List.of("concurrency", "rate", "all-of", "algorithm", "template")
                .forEach(name -> one.add(ordered("required", List.of(name))));
        return ordered(
                "anyOf", one, "allOf", List.of(unnamed("concurrency", "semaphore"), unnamed("rate", "token-bucket")));
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
        DocumentFields.LIMITER.names().forEach(name -> none.put(name, false));
        none.keySet().removeAll(DocumentFields.LIMIT.names());
        return ordered("properties", none);
    }

    private static Map<String, Object> to(String definition) {
        return ordered("$ref", "#/definitions/" + definition);
    }
}
