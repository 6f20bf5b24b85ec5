package dev.weir.config.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.document.DocumentFields;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.Format;
import dev.weir.config.document.LimitsDocument;
import dev.weir.config.document.Section;
import dev.weir.config.factory.Factory;
import dev.weir.config.factory.Field;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The tables of {@code docs/documents.md} are those of the factories; {@code -Dweir.rewrite=true} writes them. */
class ReferenceTest {
    private static final Path DOCUMENT = Path.of("../docs/documents.md");

    static Stream<Arguments> tables() {
        Catalog catalog = Catalog.system();
        return Stream.of(
                Arguments.of("document", fields(DocumentFields.HEADER)),
                Arguments.of("limiter", fields(DocumentFields.LIMITER)),
                Arguments.of("warm-up", fields(DocumentFields.WARM_UP)),
                Arguments.of("queue", fields(DocumentFields.QUEUE)),
                Arguments.of("retry", fields(DocumentFields.RETRY)),
                Arguments.of("adaptive", fields(DocumentFields.ADAPTIVE)),
                Arguments.of("executor", fields(DocumentFields.EXECUTOR)),
                Arguments.of("mode", fields(DocumentFields.MODE)),
                Arguments.of("when-away", fields(DocumentFields.WHEN_AWAY)),
                Arguments.of("share", fields(DocumentFields.SHARE)),
                Arguments.of("rollout", fields(DocumentFields.ROLLOUT)),
                Arguments.of("algorithms", factories("algorithm", catalog.strategies())),
                Arguments.of("disciplines", factories("discipline", catalog.disciplines())),
                Arguments.of("controllers", factories("controller", catalog.controllers())),
                Arguments.of("signals", factories("signal", catalog.signals())));
    }

    @ParameterizedTest
    @MethodSource("tables")
    void saysWhatTheFactoriesSay(String name, List<String> table) throws IOException {
        List<String> lines = new ArrayList<>(Files.readAllLines(DOCUMENT));
        int begin = lines.indexOf("<!-- table: " + name + " -->") + 1;
        int end = begin + lines.subList(begin, lines.size()).indexOf("<!-- end of table -->");
        if (Boolean.getBoolean("weir.rewrite")) {
            lines.subList(begin, end).clear();
            lines.addAll(begin, table);
            Files.write(DOCUMENT, lines);
        } else {
            assertEquals(String.join("\n", table), String.join("\n", lines.subList(begin, end)));
        }
    }

    @Test
    void hasExamplesThatAreRight() throws Exception {
        List<String> examples = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(DOCUMENT))
                .results()
                .map(found -> found.group(1))
                .toList();
        assertTrue(examples.size() >= 5, examples::toString);
        for (String example : examples) {
            byte[] content = example.getBytes(StandardCharsets.UTF_8);
            LimitsDocument read = DocumentReader.system().read("example", content, Format.YAML);
            assertEquals(List.of(), read.problems());
            assertEquals(List.of(), SchemaTest.errors(example));
        }
    }

    private static List<String> fields(Section section) {
        List<String> rows = new ArrayList<>(List.of("| field | value | default | meaning |", "|---|---|---|---|"));
        section.fields().forEach(field -> rows.add("| " + row(field)));
        section.parts().forEach(part -> rows.add("| `" + part.name() + "` | a map | | " + part.description() + " |"));
        return rows;
    }

    private static List<String> factories(String kind, List<? extends Factory<?>> factories) {
        List<String> rows = new ArrayList<>(
                List.of("| " + kind + " | field | value | default | meaning |", "|---|---|---|---|---|"));
        List<Field<?>> first = factories.get(0).fields();
        boolean areAlike =
                factories.stream().allMatch(factory -> factory.fields().equals(first));
        for (Factory<?> factory : factories) {
            rows.add("| `" + factory.name() + "` | | | | **" + factory.description() + "** |");
            if (!areAlike) {
                factory.fields().forEach(field -> rows.add("| | " + row(field)));
            }
        }
        if (areAlike) {
            rows.add("| each of them | | | | |");
            first.forEach(field -> rows.add("| | " + row(field)));
        }
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
