package dev.weir.config.schema;

import static dev.weir.config.schema.FieldSchema.ordered;
import static dev.weir.config.schema.FieldSchema.reference;

import dev.weir.config.document.DocumentFields;
import dev.weir.config.document.Section;
import dev.weir.config.factory.Factory;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.StrategyFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The JSON Schema of documents. Draft 07, because editors understand it best: their YAML language server supports later drafts
 * only in part.
 */
public final class Schema {
    private final Catalog catalog;

    private Schema(Catalog catalog) {
        this.catalog = catalog;
    }

    /** The schema with all factories that the class loader of this thread finds. */
    public static String text() {
        return JsonText.of(new Schema(Catalog.system()).document());
    }

    private Map<String, Object> document() {
        Map<String, Object> definitions = ordered(
                "limiter", limit(DocumentFields.LIMITER),
                "limit", limit(DocumentFields.LIMIT),
                "discipline", choice("discipline", catalog.disciplines()),
                "controller", choice("controller", catalog.controllers()),
                "signal", choice("signal", catalog.signals()));
        return ordered(
                "$schema", "http://json-schema.org/draft-07/schema#",
                "title", "Limits of a service",
                "type", "object",
                "properties",
                        ordered(
                                "document", section(DocumentFields.HEADER),
                                "templates", named("Limits from which others inherit, by name.", "limiter"),
                                "limits", named("The limits by name.", "limiter"),
                                "values", ordered("description", "Values of the application by key.", "type", "object")),
                "required", List.of("limits"),
                "additionalProperties", false,
                "definitions", definitions);
    }

    private static Map<String, Object> named(String description, String definition) {
        return ordered(
                "description", description,
                "type", "object",
                "additionalProperties", reference(definition));
    }

    /** The map, or one word that stands for one of its fields. */
    private static Map<String, Object> section(Section section) {
        Map<String, Object> map = ordered(
                "type", "object",
                "properties", inside(section),
                "required", required(section.fields()),
                "additionalProperties", false);
        Field<?> alone = section.alone();
        return alone == null
                ? described(section.description(), map)
                : ordered("description", section.description(), "anyOf", List.of(FieldSchema.of(alone), map));
    }

    private static Map<String, Object> described(String description, Map<String, Object> schema) {
        Map<String, Object> described = ordered("description", description);
        described.putAll(schema);
        return described;
    }

    private static Map<String, Object> inside(Section section) {
        Map<String, Object> properties = properties(section.fields());
        section.parts().forEach(part -> properties.put(part.name(), section(part)));
        if (section == DocumentFields.ROLLOUT) {
            properties.put("to", reference("limiter"));
        }
        return properties;
    }

    private static List<String> required(List<Field<?>> fields) {
        return fields.stream().filter(Field::required).map(Field::name).toList();
    }

    private static Map<String, Object> properties(List<Field<?>> fields) {
        Map<String, Object> properties = new LinkedHashMap<>();
        fields.forEach(field -> properties.put(field.name(), FieldSchema.of(field)));
        return properties;
    }

    /** The name alone, if that suffices, or a map with the name and the fields. */
    private static Map<String, Object> choice(String kind, List<? extends Factory<?>> factories) {
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
            forms.add(ordered(
                    "description", factory.description(),
                    "type", "object",
                    "properties", properties,
                    "required", required,
                    "additionalProperties", false));
        }
        return Map.of("anyOf", forms);
    }

    private Map<String, Object> limit(Section section) {
        Map<String, Object> properties = ordered("algorithm", algorithm());
        properties.putAll(inside(section));
        Map<String, Set<Map<String, Object>>> own = new LinkedHashMap<>();
        List<Object> rules = new ArrayList<>();
        List<String> always = List.copyOf(properties.keySet());
        for (StrategyFactory factory : catalog.strategies()) {
            factory.fields()
                    .forEach(field -> own.computeIfAbsent(field.name(), any -> new LinkedHashSet<>())
                            .add(FieldSchema.of(field)));
            rules.add(rule(factory, always));
        }
        own.forEach((name, forms) -> properties.put(name, forms.size() == 1 ? forms.iterator().next() : Map.of()));
        return ordered(
                "description", section.description(),
                "type", "object",
                "properties", properties,
                "additionalProperties", false,
                "allOf", rules);
    }

    private Map<String, Object> algorithm() {
        List<Object> names = new ArrayList<>();
        catalog.strategies()
                .forEach(factory -> names.add(
                        ordered("const", factory.name(), "description", factory.description())));
        return ordered(
                "description",
                "How permits are counted. Default: semaphore with concurrency, token-bucket with rate.",
                "oneOf",
                names);
    }

    /** What else may stand beside this algorithm. */
    private static Map<String, Object> rule(StrategyFactory factory, List<String> always) {
        List<String> allowed = new ArrayList<>(always);
        factory.fields().forEach(field -> allowed.add(field.name()));
        return ordered(
                "if",
                ordered(
                        "properties", Map.of("algorithm", Map.of("const", factory.name())),
                        "required", List.of("algorithm")),
                "then",
                ordered("propertyNames", Map.of("enum", allowed), "properties", properties(factory.fields())));
    }
}
