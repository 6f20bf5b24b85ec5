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

/** The tables of {@code docs/documents.md}, by name. The build writes the schema into the jar by it. */
public final class Reference {
    /** A field that so many factories have is told once, after all of them. */
    private static final int SEVERAL = 4;

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

    /** The lines of each table, with these factories. */
    static Map<String, List<String>> tables(Factories known) {
        Map<String, List<String>> tables = new LinkedHashMap<>();
        put(DocumentFields.HEADER, tables);
        put("limiter", DocumentFields.LIMITER, tables);
        tables.put(
                "algorithms",
                factories("algorithm", known.all(StrategySpec.class).values()));
        known.all(StrategySpec.class).values().stream()
                .flatMap(factory -> factory.fields().stream())
                .forEach(field -> put(field, tables));
        tables.put(
                "disciplines",
                factories("discipline", known.all(DisciplineSpec.class).values()));
        tables.put(
                "controllers",
                factories("controller", known.all(Controller.class).values()));
        tables.put("signals", factories("signal", known.all(Signal.class).values()));
        return tables;
    }

    private static void put(Field<?> field, Map<String, List<String>> tables) {
        if (field.type() instanceof ValueType.Section<?> section) {
            put(field.name(), section.fields(), tables);
        }
    }

    private static void put(String name, List<Field<?>> fields, Map<String, List<String>> tables) {
        List<String> rows = new ArrayList<>(List.of("| field | value | default | meaning |", "|---|---|---|---|"));
        fields.forEach(field -> rows.add("| " + row(field)));
        tables.put(name, rows);
        fields.forEach(field -> put(field, tables));
    }

    private static List<String> factories(String kind, Collection<Factory<?>> factories) {
        List<String> rows = new ArrayList<>(
                List.of("| " + kind + " | field | value | default | meaning |", "|---|---|---|---|---|"));
        Map<Field<?>, List<String>> users = new LinkedHashMap<>();
        for (Factory<?> factory : factories) {
            factory.fields()
                    .forEach(field -> users.computeIfAbsent(field, none -> new ArrayList<>())
                            .add("`" + factory.name() + "`"));
        }
        for (Factory<?> factory : factories) {
            rows.add("| `" + factory.name() + "` | | | | **" + factory.description() + "** |");
            factory.fields().stream()
                    .filter(field -> users.getOrDefault(field, List.of()).size() < SEVERAL)
                    .forEach(field -> rows.add("| | " + row(field)));
        }
        users.forEach((field, names) -> {
            if (names.size() >= SEVERAL) {
                String who = names.size() == factories.size() ? "each of them" : String.join(", ", names);
                rows.add("| " + who + " | " + row(field));
            }
        });
        return rows;
    }

    private static String row(Field<?> field) {
        Object fallback = field.fallback();
        String usual = field.required()
                ? "required"
                : fallback == null || fallback.equals("") ? "" : "`" + FieldText.of(fallback) + "`";
        String range = FieldText.range(field);
        String value = FieldText.label(field.type()) + (range.isEmpty() ? "" : ", " + range);
        return "`" + field.name() + "` | " + value + " | " + usual + " | " + field.description() + " |";
    }
}
