package dev.weir.config.document;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.named.plan.Problem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad input: a document is refused, or some of its limits are, and nothing else happens. */
class HostileDocumentTest {
    private static final DocumentReader READER = TestFactories.reader();

    private static List<Problem> problems(byte[] content, Format format) {
        try {
            return READER.read("d", content, format).problems();
        } catch (DocumentException e) {
            assertFalse(e.problems().isEmpty());
            return e.problems();
        }
    }

    private static String refused(String text, Format format) {
        return refused(text.getBytes(UTF_8), format);
    }

    private static String refused(byte[] content, Format format) {
        List<Problem> problems = assertThrows(DocumentException.class, () -> READER.read("d", content, format))
                .problems();
        return problems.get(0).toString();
    }

    private static String only(String fields) {
        List<Problem> problems = problems(("limits:\n  a: " + fields + "\n").getBytes(UTF_8), Format.YAML);
        assertEquals(1, problems.size(), problems::toString);
        return problems.get(0).toString();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ concurrency: 0 }          | concurrency must be >= 1, was 0",
                "{ concurrency: -1 }         | concurrency must be >= 1, was -1",
                "{ concurrency: .nan }       | concurrency must be a whole number such as 40, 10k or 2M, was .nan",
                "{ concurrency: 1e309 }      | concurrency must be a whole number such as 40, 10k or 2M, was 1e309",
                "{ concurrency: 0x10 }       | concurrency must be a whole number such as 40, 10k or 2M, was 0x10",
                "{ concurrency: 010 }        | concurrency must be a number without zeros before it, was 010",
                "{ concurrency: many }       | concurrency must be a whole number such as 40, 10k or 2M, was many",
                "{ concurrency: }            | concurrency must be a whole number such as 40, 10k or 2M, was null",
                "{ concurrency: ~ }          | concurrency must be a whole number such as 40, 10k or 2M, was null",
                "{ concurrency: [1, 2] }     | concurrency must be a whole number such as 40, 10k or 2M, was a list",
                "{ concurrency: {} }         | concurrency must be a whole number such as 40, 10k or 2M, was a map",
                "{ concurrency: 99999999999 } | limit must be >= 1 and <= 2147483647, was 99999999999",
                "{ rate: 100 }               | rate must be a rate such as 100/s or 1000/15min: the time is missing, was 100",
                "{ concurency: 3 }           | concurency is not known; did you mean concurrency?",
                "{ concurrency: 3, maxWait: 1s } | maxWait is not known; did you mean queue.max-wait?",
                "{ concurrency: 3, queue: 3, max-wait: 1s } | max-wait is not known; did you mean queue.max-wait?",
                "{ concurrency: 3, max: 9 } | max is not known; did you mean adaptive.max or executor.max?",
                "{ all-of: [{ concurrency: 1, max-wait: 1s }] } | all-of[0].max-wait is not known; known: ",
                "{ concurrency: 3, capacty: 1s } | capacty is not known; known: ",
                "{ concurrency: 3, rate: 1/s } | must have only one of concurrency, rate, budget and throttle; use all-of for several",
                "{ algorithm: gcar, rate: 1/s } | algorithm is not known, was gcar; known: faulty, semaphore, sliding-window, token-bucket",
                "{ algorithm: semaphor, concurrency: 1 } | algorithm is not known, was semaphor; did you mean semaphore?",
                "{ concurrency: 3, enforce: 2 } | enforce must be >= 0 and <= 1, was 2",
                "{ concurrency: 3, max-keys: 5 } | max-keys must not be given without key",
                "{ concurrency: 3, key: [] } | key must be true, or names of dimensions",
                "{ concurrency: 3, key: [a, a] } | key must have each dimension once",
                "{ all-of: [] } | all-of limits.size() must be >= 1 and <= 64, was 0",
                "{ all-of: 3 } | all-of must be a list of limits, was 3",
                "{ all-of: [{ concurrency: 1 }, { concurrency: 0 }] } | all-of[1].concurrency must be >= 1, was 0",
                "{ all-of: [{ concurrency: 1, queue: 3 }] } | all-of[0].queue is not known",
                "{ concurrency: 3, warm-up: 0s } | warm-up period must be >= ",
                "{ concurrency: 3, warm-up: { floor: 10% } } | warm-up.period must be given",
                "{ concurrency: 3, queue: { max-wait: 1s } } | queue.capacity must be given",
                "{ concurrency: 3, queue: { capacity: 1, discipline: codell } } | queue.discipline is not known, was codell; did you mean codel?",
                "{ concurrency: 3, queue: { capacity: 1, discipline: { target: 1s } } } | queue.discipline.name must be given",
                "{ concurrency: 3, queue: { capacity: 1, retry: 0ms } } | queue.retry ",
                "{ concurrency: 3, adaptive: { min: 5, max: 4 } } | adaptive.max must be >= min, which is 5, was 4",
                "{ concurrency: 3, adaptive: { step: 1 } } | adaptive step must be > 1, was 1.0",
                "{ concurrency: 3, adaptive: { signals: [cpy] } } | adaptive.signals[0] is not known, was cpy; did you mean cpu?",
                "{ concurrency: 3, executor: { core: 3 } } | executor must have threads, or core and max",
                "{ concurrency: 3, executor: { core: 3, max: 2 } } | executor.core must be <= max, which is 2, was 3",
                "{ concurrency: 3, template: none } | template is not known",
                "{ concurrency: 3, rollout: 101 } | rollout.percent must be >= 0 and <= 100, was 101",
                "{ concurrency: 3, rollout: { percent: 1, to: { concurrency: 0 } } } | concurrency must be >= 1, was 0",
                "[1] | must be a map, was a list",
                "3 | must be a map, was 3",
                "null | must be a map, was null",
                "{} | must have concurrency, rate, budget, throttle, all-of or algorithm"
            })
    void aBadFieldIsOneProblem(String fields, String problem) {
        String found = only(fields);
        assertTrue(found.matches("d:2:[0-9]+: a: .*"), found);
        assertTrue(found.substring(found.indexOf(" a: ") + 4).startsWith(problem), found);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                          | d: must not be empty",
                "'# nothing'                 | d: must not be empty",
                "null                        | d: must not be empty",
                "---                         | d: must not be empty",
                "text                        | d:1:1: must be a map with limits",
                "[]                          | d:1:1: must be a map with limits",
                "{}                          | d:1:1: limits must be given",
                "'limits:'                   | d:1:8: limits must be a map",
                "'limits: []'                | d:1:9: limits must be a map",
                "'{ limits: {}, limitz: {} }' | d:1:15: limitz is not known; did you mean limits?",
                "'{ limits: {}, limits: {} }' | d:1:15: must not have the same key twice, was limits",
                "'{ limits: { a: { concurrency: 1 }, a: {} } }' | d:1:36: must not have the same key twice, was a",
                "'{ limits: {}, document: { version: -1 } }' | d:1:36: document.version must be >= 1, was -1",
                "'{ limits: {'               | d:1:12: must be YAML: expected the node content",
                "'limits: !!javax.script.ScriptEngineManager []' | d:1:9: must not have tags",
                "'limits: !!set {}'          | d:1:9: must not have tags",
                "'limits: &a { b: *a }'      | d:1:17: must have aliases only of anchors that have ended before",
                "'limits: *a'                | d:1:9: must have aliases only of anchors that have ended before",
                "'? [a]\n: b'                | d:1:3: must not have a map or a list as a key",
                "'~: b'                      | d:1:1: must have text as a key",
                "'limits: {}\n---\nlimits: {}' | d:2:1: must be one document, not several",
                "'limits:\n\ta: {}'          | d:2:1: must be YAML: found character",
                "'%TAG ! tag:x\n'            | d:",
            })
    void aBadDocumentIsRefused(String text, String problem) {
        String found = refused(text, Format.YAML);
        assertTrue(found.startsWith(problem), found);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'{\"limits\":{}'           | d:1:13: must be JSON: it ends before it is complete",
                "'{\"limits\":{}} x'        | d:1:",
                "'{\"limits\":{}} {}'       | d:1:15: must have nothing after its end",
                "'{\"limits\":{},\"limits\":{}}' | d:1:14: must not have the same key twice, was limits",
                "'{\"limits\":nul}'         | d:1:",
                "'{\"limits\":NaN}'         | d:1:",
                "'{\"limits\":01}'          | d:1:",
                "'{limits:{}}'              | d:1:",
                "'{\"limits\":{},}'         | d:1:",
                "'{\"limits\":{}/*x*/}'     | d:1:",
                "' '                        | d: must not be empty"
            })
    void badJsonIsRefused(String text, String problem) {
        String found = refused(text, Format.JSON);
        assertTrue(found.startsWith(problem), found);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "limits                         | p:1: limits must be a map",
                "limits.a, limits.a.b           | p:2: must not have a key as two of text, map and list",
                "limits.a, limits.[a]           | p:1: must not have the same key twice",
                "limits.a.b, limits.[a]         | p:1: must not have a key as two of text, map and list",
                "limits.[a][0], limits.a.b      | p:2: must not have a key as two of text, map and list",
                "limits.a[1]                    | p:1: must have all items of a list from [0] on",
                "limits.a[99999999999]          | p:1: must have lists of at most 10000 items",
                "limits..a                      | p:1: must have keys of 1 to 256 characters",
                "limits.a.                      | p:1: must have keys such as",
                "limits.[a                      | p:1: must have keys such as",
                "limits.[a]b                    | p:1: must have keys such as",
                "''                             | p:1: must have keys such as",
                "limits.a.concurrency           | none"
            })
    void badKeysAreRefused(String keys, String problem) throws Exception {
        Map<String, DocumentTree.Located> values = new HashMap<>();
        for (String key : keys.split(", ", -1)) {
            values.put(key, new DocumentTree.Located("1", "p:" + (values.size() + 1)));
        }
        String found = treeProblem(DocumentTree.ofKeys(values));
        assertTrue(found.startsWith(problem), found);
    }

    private static String treeProblem(DocumentTree tree) {
        try {
            List<Problem> problems = READER.read("d", tree, limiter -> 0).problems();
            return problems.isEmpty() ? "none" : problems.get(0).toString();
        } catch (DocumentException e) {
            return e.problems().get(0).toString();
        }
    }

    @Test
    void onlyUtf8IsRead() throws Exception {
        String text = "limits: { a: { concurrency: 1 } } # \u00e4\n";
        assertTrue(refused(text.getBytes(UTF_16), Format.YAML).contains("must be UTF-8: it begins with the mark"));
        assertTrue(refused(("\uFEFF" + text).getBytes(UTF_16LE), Format.YAML).contains("must be UTF-8"));
        assertEquals("d:1:37: must be UTF-8", refused(text.getBytes(ISO_8859_1), Format.YAML));
        assertTrue(refused("limits: {}".getBytes(UTF_16LE), Format.YAML).contains("must not have control characters"));
        assertTrue(refused(new byte[] {(byte) 0xC0, (byte) 0x80}, Format.JSON).contains("must be UTF-8"));
        for (String start : List.of("\uFEFF", "")) {
            String windows = start + text.replace("\n", "\r\n");
            assertEquals(
                    Set.of("a"),
                    READER.read("d", windows.getBytes(UTF_8), Format.YAML)
                            .limits()
                            .keySet());
        }
    }

    @ParameterizedTest
    @EnumSource
    void largeDocumentsAreRefusedUnread(Format format) {
        byte[] large = new byte[10 << 20];
        Arrays.fill(large, (byte) '#');
        assertEquals("d: must have at most 1048576 bytes, was 10485760", refused(large, format));
    }

    @Test
    void deepDocumentsAreRefusedAtTheLimit() {
        String deep = "must not have more than 50 maps and lists in each other";
        assertEquals("d:1:51: " + deep, refused("[".repeat(100_000), Format.YAML));
        assertEquals("d:1:51: " + deep, refused("[".repeat(100_000), Format.JSON));
        assertEquals("d:1:251: " + deep, refused("{\"a\":".repeat(100_000), Format.JSON));
        assertTrue(refused("{a: ".repeat(100_000), Format.YAML).contains(deep));
        assertTrue(refused("- ".repeat(100_000), Format.YAML).contains(deep));
        assertTrue(refused("? ".repeat(100_000), Format.YAML).contains("as a key"));
        assertTrue(treeProblem(DocumentTree.ofKeys(Map.of("a.".repeat(100_000) + "a", 1)))
                .contains(deep));
        assertTrue(treeProblem(DocumentTree.ofKeys(Map.of("a" + "[0]".repeat(100_000), 1)))
                .contains(deep));
        Map<String, Object> itself = new HashMap<>();
        itself.put("a", List.of(itself));
        assertTrue(treeProblem(DocumentTree.of(itself)).contains(deep));
        StringBuilder indented = new StringBuilder();
        for (int i = 0; i < 1000; i++) {
            indented.append(" ".repeat(i)).append("a:\n");
        }
        assertTrue(refused(indented.toString(), Format.YAML).contains(deep));
    }

    @Test
    void anAliasWithoutAnAnchorHidesNoOtherProblem() {
        String text = "limits:\n  a: *none\n  b: { concurrency: 0 }\n  c: { concurrency: 1, queue: *other }\n"
                + "  *third : { concurrency: 1 }\n  d: { concurrency: x }\n";
        assertEquals(
                List.of(
                        "d:2:6: must have aliases only of anchors that have ended before",
                        "d:3:21: b: concurrency must be >= 1, was 0",
                        "d:4:31: must have aliases only of anchors that have ended before",
                        "d:5:3: must have aliases only of anchors that have ended before",
                        "d:6:21: d: concurrency must be a whole number such as 40, 10k or 2M, was x"),
                problems(text.getBytes(UTF_8), Format.YAML).stream()
                        .map(Problem::toString)
                        .toList());
    }

    @Test
    void aliasesDoNotMultiply() {
        StringBuilder laughs = new StringBuilder("a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
        for (int i = 1; i < 10; i++) {
            laughs.append("a" + i + ": &a" + i + " [" + ("*a" + (i - 1) + ", ").repeat(5) + "]\n");
        }
        assertEquals("d:7:15: must have at most 100000 keys and values", refused(laughs.toString(), Format.YAML));
        String many = "a: &a 1\nb: [" + "*a, ".repeat(51) + "]";
        assertEquals("d:2:205: must have at most 50 aliases", refused(many, Format.YAML));
        StringBuilder nested = new StringBuilder("a0: &a0 []\n");
        for (int i = 1; i < 50; i++) {
            nested.append("a" + i + ": &a" + i + " [*a" + (i - 1) + "]\n");
        }
        assertTrue(refused(nested.toString(), Format.YAML).contains("must not have more than 50 maps and lists"));
    }

    @Test
    void manyValuesAreRefusedAtTheLimit() {
        assertTrue(refused("[" + "1,".repeat(200_000) + "1]", Format.JSON).contains("at most 100000"));
        assertTrue(refused("- 1\n".repeat(200_000), Format.YAML).contains("at most 100000"));
        Map<String, Integer> keys = new HashMap<>();
        for (int i = 0; i < 100_000; i++) {
            keys.put("values.k" + i, 1);
        }
        assertTrue(treeProblem(DocumentTree.ofKeys(keys)).contains("at most 100000"));
        assertTrue(treeProblem(DocumentTree.of(Map.of("values", keys))).contains("at most 100000"));
    }

    @Test
    void longWordsAndManyBlankLinesAreRead() {
        assertEquals(
                "d: must be JSON without names, numbers or strings that are too long",
                refused("{\"limits\":" + "1".repeat(1 << 19), Format.JSON));
        assertEquals("d: must not be empty", refused("\n".repeat(1 << 20), Format.YAML));
    }

    @Test
    void templatesDoNotMultiply() throws Exception {
        StringBuilder text = new StringBuilder("templates:\n  t:\n    concurrency: 1\n");
        for (int i = 0; i < 2000; i++) {
            text.append("    f" + i + ": 1\n");
        }
        text.append("limits:\n");
        for (int i = 0; i < 2000; i++) {
            text.append("  l" + i + ": { template: t }\n");
        }
        LimitsDocument document = READER.read("d", text.toString().getBytes(UTF_8), Format.YAML);
        assertEquals(2000, document.faulty().size());
        assertEquals(1001, document.problems().size());
    }

    /** Also where a cut would fall into an escape. */
    @Test
    void aControlCharacterOfANameIsShownEscaped() {
        for (int before = 0; before < 60; before++) {
            String name = "a".repeat(before);
            List<Problem> problems =
                    problems(("{\"limits\":{\"" + name + "\\u0007\\u202eb\":{}}}").getBytes(UTF_8), Format.JSON);
            assertEquals(1, problems.size());
            String shown = problems.get(0).limiter();
            String whole = name + "\\u0007\\u202eb";
            String expected = before <= 47
                    ? whole
                    : name.substring(0, Math.min(before, 57)) + (before <= 51 ? "\\u0007" : "") + "...";
            assertEquals(expected, shown);
            assertEquals(
                    "must have a name of 1 to 128 letters, digits, dots, hyphens or underscores",
                    problems.get(0).rule());
        }
    }

    @Test
    void whatIsShownIsShortAndHarmless() {
        String evil = "\\u001b[31m\\u202e\\r\\n" + "x".repeat(500);
        List<Problem> problems = problems(
                ("{\"limits\":{\"" + evil.substring(0, 200) + "\":{},\"a\":{\"concurrency\":\"" + evil + "\",\""
                                + evil.substring(0, 200) + "\":1}}}")
                        .getBytes(UTF_8),
                Format.JSON);
        assertEquals(3, problems.size());
        for (Problem problem : problems) {
            assertTrue(problem.value().length() <= 60 && problem.limiter().length() <= 60);
            assertTrue(
                    problem.toString().chars().noneMatch(c -> c < ' ' || c == 0x202e || c == 0x7f), problem::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "values: { password: hunter2 }\nlimits: [hunter2]",
                "limits: {}\nvalues: { password: null, hunter: !hunter2 x }",
                "limits: {}\nvalues: { password: !hunter2!x y }",
                "limits: {}\nvalues: { password: *hunter2 }",
                "limits: {}\nvalues: { password: %hunter2 }",
                "limits: {}\nvalues: { password: \"hunter2\\q\" }",
                "limits: {}\nvalues: { password: \"hunter2 }",
                "limits: {}\nvalues: hunter2",
                "limits: {}\nvalues: [hunter2]",
                "limits: {}\nvalues: { a: hunter2, a: hunter2 }",
                "limits: {}\nvalues: { a.b: hunter2, a: { b: hunter2 } }",
                "{\"limits\":{},\"values\":{\"a\":hunter2}}",
                "{\"limits\":{},\"values\":{\"a\":\"hunter2}}",
                "{\"limits\":{},\"values\":{\"a\":\"hunter2\"\"hunter2\"}}",
                "{\"limits\":{},\"values\":{\"a\":tru_hunter2}}",
                "limits={}\nvalues=hunter2"
            })
    void valuesOfTheApplicationAreNeverShown(String text) {
        for (Format format : Format.values()) {
            for (Problem problem : problems(text.getBytes(UTF_8), format)) {
                assertFalse(problem.toString().contains("hunter"), problem::toString);
            }
        }
    }

    /** Every start of a document is read as what it says, or refused; a limit in it is whole or faulty. */
    @Test
    void documentsMayEndAnywhere() throws Exception {
        for (Map.Entry<Format, String> sample : SampleDocuments.ALL.entrySet()) {
            byte[] whole = sample.getValue().getBytes(UTF_8);
            assertEquals(List.of(), READER.read("d", whole, sample.getKey()).problems());
            for (int length = 0; length < whole.length; length++) {
                byte[] start = Arrays.copyOf(whole, length);
                List<Problem> problems = problems(start, sample.getKey());
                assertTrue(
                        sample.getKey() != Format.JSON || !problems.isEmpty() || new String(start, UTF_8).endsWith("}"),
                        "" + length);
            }
        }
    }

    @Test
    void nothingButProblemsComesOfMutations() {
        long seed = 12;
        Random random = new Random(seed);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            Format format = Format.values()[i % Format.values().length];
            byte[] content = mutated(SampleDocuments.ALL.get(format).getBytes(UTF_8), random);
            try {
                for (Problem problem : problems(content, format)) {
                    assertTrue(problem.line() > 0 && problem.column() > 0
                            || problem.rule().contains("empty"));
                    refused++;
                }
            } catch (Throwable t) {
                throw new AssertionError(
                        String.format(Locale.ROOT, "seed %d, %d: %s", seed, i, new String(content, UTF_8)), t);
            }
        }
        assertTrue(refused > 5000, "" + refused);
    }

    private static byte[] mutated(byte[] content, Random random) {
        List<Byte> bytes = new ArrayList<>();
        for (byte b : content) {
            bytes.add(b);
        }
        String special = "{}[]:,.=-&*!|>'\"#%@`?\\\n\r\t 09aZ\u0000/";
        for (int change = random.nextInt(4); change >= 0; change--) {
            int at = random.nextInt(bytes.size());
            byte other = random.nextInt(4) == 0
                    ? (byte) random.nextInt(256)
                    : (byte) special.charAt(random.nextInt(special.length()));
            switch (random.nextInt(4)) {
                case 0 -> bytes.set(at, other);
                case 1 -> bytes.remove(at);
                case 2 -> bytes.add(at, other);
                default -> {
                    int end = Math.min(bytes.size(), at + random.nextInt(40));
                    bytes.addAll(random.nextInt(bytes.size()), List.copyOf(bytes.subList(at, end)));
                }
            }
        }
        byte[] result = new byte[bytes.size()];
        for (int i = 0; i < result.length; i++) {
            result[i] = bytes.get(i);
        }
        return result;
    }
}
