package dev.weir.config.document;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The section {@code removed}. */
class RemovedTest {
    private static LimitsDocument read(String text, Format format) throws DocumentException {
        return DocumentReader.system().read("d", text.getBytes(StandardCharsets.UTF_8), format);
    }

    @Test
    void isASetOfNames() throws Exception {
        assertEquals(List.of(), names("limits: {}", Format.YAML));
        assertEquals(List.of("a"), names("{ limits: {}, removed: a }", Format.YAML));
        assertEquals(List.of("b.c", "a"), names("{ limits: { d: { rate: 1/s } }, removed: [b.c, a] }", Format.YAML));
        assertEquals(List.of(), names("{ limits: {}, removed: [] }", Format.YAML));
        assertEquals(List.of("b.c", "a"), names("{ \"limits\": {}, \"removed\": [\"b.c\", \"a\"] }", Format.JSON));
    }

    private static List<String> names(String text, Format format) throws DocumentException {
        LimitsDocument document = read(text, format);
        assertEquals(List.of(), document.problems());
        return List.copyOf(document.removed());
    }

    /** What is wrong removes nothing; the other names go. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ removed: [a, x y], limits: {} } | d:1:16: removed[1] must be a name of 1 to 128 letters, digits, dots, hyphens or underscores, was x y",
                "{ removed: [a, b], limits: { b: { rate: 1/s } } } | d:1:16: removed[1] must not be under limits too, was b",
                "{ removed: [a, b], limits: { b: { rate: 0/s } } } | d:1:16: removed[1] must not be under limits too, was b",
                "{ removed: [a, a], limits: {} } | d:1:16: removed[1] must not be there twice, was a",
                "{ removed: [a, { b: 1 }], limits: {} } | d:1:16: removed[1] must be a name of 1 to 128 letters, digits, dots, hyphens or underscores, was a map",
                "{ removed: [a, ~], limits: {} } | d:1:16: removed[1] must be a name of 1 to 128 letters, digits, dots, hyphens or underscores, was null"
            })
    void aProblemIsOfOneName(String text, String problem) throws Exception {
        LimitsDocument document = read(text, Format.YAML);
        assertEquals(problem, document.problems().get(0).toString());
        assertEquals(List.of("a"), List.copyOf(document.removed()));
    }
}
