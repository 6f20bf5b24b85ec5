package dev.weir.config.schema;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Signal;
import dev.weir.config.builtin.Factories;
import dev.weir.config.builtin.FieldText;
import dev.weir.config.document.DocumentFields;
import dev.weir.config.factory.Factory;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.spi.StrategySpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The lists of fields of {@code docs/documents.md}, by name. The build writes the schema into the jar by it. */
public final class Reference {
    /** A field that so many factories have is told once, after all of them. */
    private static final int SEVERAL = 2;

    private Reference() {}

    /**
     * Writes the schema, for the build.
     *
     * @param files the file of the schema
     * @throws IOException if it cannot be written
     */
    public static void main(String... files) throws IOException {
        Path schema = Path.of(files[0]);
        Files.createDirectories(schema.getParent());
        Files.writeString(schema, Schema.text());
    }

    /** The lines of each list, with these factories. */
    static Map<String, List<String>> lists(Factories known) {
        Map<String, List<String>> lists = new LinkedHashMap<>();
        put(DocumentFields.HEADER, lists);
        put("limiter", DocumentFields.LIMITER, lists);
        lists.put("algorithms", factories(known.all(StrategySpec.class).values()));
        known.all(StrategySpec.class).values().stream()
                .flatMap(factory -> factory.fields().stream())
                .forEach(field -> put(field, lists));
        lists.put("disciplines", factories(known.all(DisciplineSpec.class).values()));
        lists.put("controllers", factories(known.all(Controller.class).values()));
        lists.put("signals", factories(known.all(Signal.class).values()));
        return lists;
    }

    private static void put(Field<?> field, Map<String, List<String>> lists) {
        if (field.type() instanceof ValueType.Section<?> section) {
            put(field.name(), section.fields(), lists);
        }
    }

    private static void put(String name, List<Field<?>> fields, Map<String, List<String>> lists) {
        lists.put(name, fields.stream().map(field -> "- " + entry(field)).toList());
        fields.forEach(field -> put(field, lists));
    }

    /** Each factory with its own fields, then the fields that several have, by the factories that have them. */
    private static List<String> factories(Collection<Factory<?>> factories) {
        Map<Field<?>, List<String>> users = new LinkedHashMap<>();
        for (Factory<?> factory : factories) {
            factory.fields()
                    .forEach(field -> users.computeIfAbsent(field, none -> new ArrayList<>())
                            .add("`" + factory.name() + "`"));
        }
        List<String> lines = new ArrayList<>();
        for (Factory<?> factory : factories) {
            lines.add("- `" + factory.name() + "`: " + factory.description());
            factory.fields().stream()
                    .filter(field -> users.getOrDefault(field, List.of()).size() < SEVERAL)
                    .forEach(field -> lines.add("  - " + entry(field)));
        }
        Map<String, List<String>> shared = new LinkedHashMap<>();
        users.forEach((field, names) -> {
            if (names.size() >= SEVERAL) {
                String who = names.size() == factories.size() ? "each of them" : String.join(", ", names);
                shared.computeIfAbsent(who, none -> new ArrayList<>()).add("  - " + entry(field));
            }
        });
        shared.forEach((who, fields) -> {
            lines.add("- " + who + ":");
            lines.addAll(fields);
        });
        return lines;
    }

    private static String entry(Field<?> field) {
        Object fallback = field.fallback();
        String usual = field.required()
                ? ", required"
                : fallback == null || fallback.equals("") ? "" : ", `" + FieldText.of(fallback) + "`";
        return "`" + field.name() + "`: " + value(field) + usual + ". " + field.description();
    }

    /** Without the bounds that every field of its type has. */
    private static String value(Field<?> field) {
        String label = FieldText.label(field.type())
                .replaceFirst("^an? ", "")
                .replace("text of 1 to 128 characters", "text")
                .replace("a whole", "whole")
                .replace("whole number", "integer")
                .replace("whole percentage from 0 to 100", "percentage")
                .replace("true or false", "boolean");
        String range = FieldText.range(field)
                .replaceFirst(" to (2\\^\\d+( - 1)?|26687d|9{18})$", "")
                .replaceFirst("^(at least )?(0|0s|1ns)$", "");
        if (range.isEmpty() || label.equals("share")) {
            return label;
        }
        return label + ", " + (range.matches("\\w+") ? "\u2265 " + range : range.replace("at least", "\u2265"));
    }
}
