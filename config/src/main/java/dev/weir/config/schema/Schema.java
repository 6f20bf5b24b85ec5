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
import java.util.List;
import java.util.Map;

/**
 * The JSON Schema of documents. Draft 07, because editors understand it best: their YAML language server supports later drafts
 * only in part.
 */
public final class Schema {
    private static final String PREFIX = "algorithm-";

    private final Catalog catalog;

    private Schema(Catalog catalog) {
        this.catalog = catalog;
    }

    /** The schema with all factories that the class loader of this thread finds. */
    public static String text() {
        return JsonText.of(new Schema(Catalog.system()).document());
    }

    private Map<String, Object> document() {
        return ordered(
                "$schema",
                "http://json-schema.org/draft-07/schema#",
                "title",
                "Limits of a service",
                "type",
                "object",
                "properties",
                ordered(
                        "document", section(DocumentFields.HEADER),
                        "templates", named("Limits from which others inherit, by name.", "fields"),
                        "limits", named("The limits by name.", "limiter"),
                        "removed", FieldSchema.of(DocumentFields.REMOVED),
                        "values", ordered("description", "Values of the application by key.", "type", "object")),
                "required",
                List.of("limits"),
                "additionalProperties",
                false,
                "definitions",
                definitions());
    }

    private Map<String, Object> definitions() {
        Map<String, Object> definitions = ordered(
                "limiter", ordered("allOf", List.of(to("fields"), to("complete"))),
                "limit", ordered("allOf", List.of(to("fields"), to("complete"), onlyLimit())),
                "fields", fields(),
                "complete", complete(),
                "discipline", choice("discipline", catalog.disciplines()),
                "controller", choice("controller", catalog.controllers()),
                "signal", choice("signal", catalog.signals()));
        catalog.strategies().forEach(strategy -> definitions.put(PREFIX + strategy.name(), algorithm(strategy)));
        return definitions;
    }

    private static Map<String, Object> named(String description, String definition) {
        return ordered("description", description, "type", "object", "additionalProperties", reference(definition));
    }

    /** The map, or one word that stands for one of its fields. */
    private static Map<String, Object> section(Section section) {
        Map<String, Object> map = ordered(
                "type",
                "object",
                "properties",
                inside(section),
                "required",
                required(section.fields()),
                "additionalProperties",
                false);
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
            properties.put("to", reference("fields"));
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
                    "description",
                    factory.description(),
                    "type",
                    "object",
                    "properties",
                    properties,
                    "required",
                    required,
                    "additionalProperties",
                    false));
        }
        return Map.of("anyOf", forms);
    }

    /** Everything that may stand in a limit or in a part of one, such as a template. */
    private Map<String, Object> fields() {
        Map<String, Object> properties = ordered("algorithm", algorithms());
        properties.putAll(inside(DocumentFields.LIMITER));
        Map<String, List<Object>> own = new LinkedHashMap<>();
        List<Object> rules = new ArrayList<>();
        for (StrategyFactory strategy : catalog.strategies()) {
            for (Field<?> field : strategy.fields()) {
                own.computeIfAbsent(field.name(), any -> new ArrayList<>())
                        .add(to(PREFIX + strategy.name() + "/properties/" + field.name()));
            }
            rules.add(ordered("if", named(strategy), "then", to(PREFIX + strategy.name())));
        }
        own.forEach((name, forms) -> properties.put(name, ordered("anyOf", forms)));
        return ordered(
                "description",
                DocumentFields.LIMITER.description(),
                "type",
                "object",
                "properties",
                properties,
                "additionalProperties",
                false,
                "allOf",
                rules);
    }

    private static Map<String, Object> named(StrategyFactory strategy) {
        return ordered(
                "properties",
                ordered("algorithm", ordered("const", strategy.name())),
                "required",
                List.of("algorithm"));
    }

    private Map<String, Object> algorithms() {
        List<Object> names = new ArrayList<>();
        catalog.strategies()
                .forEach(strategy ->
                        names.add(ordered("const", strategy.name(), "description", strategy.description())));
        return ordered(
                "description",
                "How permits are counted. Default: semaphore with concurrency, token-bucket with rate.",
                "oneOf",
                names);
    }

    /** The fields of one algorithm, and none of another. */
    private Map<String, Object> algorithm(StrategyFactory strategy) {
        Map<String, Object> properties = properties(strategy.fields());
        catalog.strategies()
                .forEach(other -> other.fields().forEach(field -> properties.putIfAbsent(field.name(), false)));
        return ordered("description", strategy.description(), "properties", properties);
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
        DocumentFields.LIMITER.fields().forEach(field -> none.put(field.name(), false));
        DocumentFields.LIMITER.parts().forEach(part -> none.put(part.name(), false));
        DocumentFields.LIMIT.fields().forEach(field -> none.remove(field.name()));
        DocumentFields.LIMIT.parts().forEach(part -> none.remove(part.name()));
        return ordered("properties", none);
    }

    private static Map<String, Object> to(String definition) {
        return ordered("$ref", "#/definitions/" + definition);
    }
}
