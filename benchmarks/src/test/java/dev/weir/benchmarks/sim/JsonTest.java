package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonTest {
    record Step(long atMillis, double speed) {}

    record Plan(String name, int cores, List<Step> steps) {}

    @Test
    void readsARecordByTheNamesOfItsComponents() {
        assertEquals(new Plan("a\"b", 4, List.of(new Step(100, 0.5), new Step(200, 1))), Json.read("""
                        {"name": "a\\"b", "cores": 4,
                         "steps": [{"atMillis": 100, "speed": 5e-1}, {"atMillis": 200, "speed": 1}]}
                        """, Plan.class));
    }

    @Test
    void readsPlainValues() {
        assertEquals(
                Map.of("a", List.of(true, false), "b", "\u00e9", "c", -2.5),
                Json.read("{\"a\": [true, false], \"b\": \"\\u00e9\", \"c\": -2.5}", Map.class));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '~',
            value = {
                "{\"name\": \"a\", \"name\": \"b\", \"cores\": 1}; line 1, column 21; Duplicate",
                "{\"name\": \"a\", \"cores\": 1, \"core\": 1}; line 1, column 37 (core); Unrecognized field",
                "{\"name\": \"a\"}; (cores); Cannot map `null`",
                "{\"name\": \"a\", \"cores\": 1.5}; line 1, column 24; Floating-point",
                "{\"name\": \"a\", \"cores\": \"1\"}; line 1, column 24; coerce",
                "{\"name\": \"a\", \"cores\": 1} x; line 1, column 27; 'x'",
                "{\"name\": \"a\", \"cores\": 1,}; line 1, column 26; double-quote",
                "{\"name\": \"a; line 1, column 12; Unexpected end",
                "{\"name\": \"a\", \"cores\": 1, \"steps\": [{\"atMillis\": \"x\"}]}; (steps.[0].atMillis); String",
                "{\"name\": NaN, \"cores\": 1}; line 1, column 13; NaN",
                "null; null; null",
                "[; line 1, column 1; Cannot deserialize",
            })
    void refusesWhatIsDoubtfulAndSaysWhere(String text, String where, String what) {
        String message = assertThrows(IllegalArgumentException.class, () -> Json.read(text, Plan.class))
                .getMessage();
        assertTrue(message.contains(where), message);
        assertTrue(message.contains(what), message);
    }

    @Test
    void refusesDepth() {
        String message = assertThrows(
                        IllegalArgumentException.class, () -> Json.read("[".repeat(33) + "]".repeat(33), Object.class))
                .getMessage();
        assertTrue(message.contains("depth (33)"), message);
    }

    @Test
    void quotes() {
        assertEquals("\"a\\\"b\\\\c\\n\"", Json.quoted("a\"b\\c\n"));
    }
}
