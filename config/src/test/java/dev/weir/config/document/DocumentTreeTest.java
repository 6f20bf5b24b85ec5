package dev.weir.config.document;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Semaphore;
import dev.weir.config.document.DocumentTree.Located;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.StrategyFactory;
import dev.weir.config.factory.Values;
import dev.weir.named.plan.Problem;
import dev.weir.spi.StrategySpec;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A document as nested maps or flat keys, with a place for each value. */
class DocumentTreeTest {
    private static List<String> problems(DocumentTree tree) {
        try {
            return shown(read(tree).problems());
        } catch (DocumentException e) {
            return shown(e.problems());
        }
    }

    private static List<String> shown(List<Problem> problems) {
        return problems.stream().map(Problem::toString).toList();
    }

    private static LimitsDocument read(DocumentTree tree) throws DocumentException {
        return TestFactories.reader().read("environment", tree, limiter -> 0);
    }

    private static DocumentTree limit(Map<String, ?> fields) {
        return DocumentTree.of(Map.of("limits", Map.of("a", fields)));
    }

    private static Located at(int line, Object value) {
        return new Located(value, "application.yml:" + line);
    }

    @Test
    void problemsShowTheOriginInPlaceOfALine() {
        assertEquals(
                List.of(
                        "application.yml:12: a: concurrency must be >= 1, was 0",
                        "application.yml:13: a: queue.capacity must be given",
                        "application.yml:13: a: queue.cpacity is not known; did you mean capacity?"),
                problems(limit(Map.of("concurrency", at(12, 0), "queue", Map.of("cpacity", at(13, "100"))))).stream()
                        .sorted()
                        .toList());
        assertEquals(
                List.of("env WEIR_X: a: must be a map, was 3"),
                problems(DocumentTree.ofKeys(Map.of("limits.a", new Located(3, "env WEIR_X")))));
        assertEquals(
                List.of("environment: a: concurrency must be >= 1, was 0"), problems(limit(Map.of("concurrency", 0))));
        assertEquals(
                List.of("file: a: concurrency must be >= 1, was 0"),
                problems(DocumentTree.of(Map.of(
                        "limits", new Located(Map.of("a", Map.of("concurrency", 0)), "file")))));
    }

    @Test
    void namesOfFieldsAreComparedWithoutHyphensUnderscoresAndCase() throws Exception {
        for (String name : List.of("max-wait", "maxWait", "MAX_WAIT", "max_wait", "maxwait")) {
            LimitsDocument document = read(DocumentTree.of(Map.of(
                    "LIMITS",
                    Map.of(
                            "a",
                            Map.of("Concurrency", 40, "QUEUE", Map.of("capacity", 5, name, "200ms")),
                            "theLimit",
                            Map.of("template", "theTemplate")),
                    "TEMPLATES",
                    Map.of("theTemplate", Map.of("allOf", List.of(Map.of("CONCURRENCY", 1)))),
                    "values",
                    Map.of("maxWait", "1s", "max-wait", "2s"))));
            assertEquals(List.of(), document.problems());
            assertEquals(
                    Map.of("concurrency", "40", "queue.capacity", "5", "queue.max-wait", "200ms"),
                    document.limits().get("a").settings());
            assertEquals(Set.of("a", "theLimit"), document.limits().keySet());
            assertEquals(Map.of("maxWait", "1s", "max-wait", "2s"), document.values());
        }
        assertEquals(
                List.of("environment: a: template is not known, was the-template; did you mean theTemplate?"),
                problems(DocumentTree.of(Map.of(
                        "templates", Map.of("theTemplate", Map.of()),
                        "limits", Map.of("a", Map.of("template", "the-template"))))));
        String yaml = "limits: { a: { concurrency: 1, maxKeys: 3 } }";
        assertEquals(
                List.of("d:1:32: a: maxKeys is not known; did you mean max-keys?"),
                shown(TestFactories.reader()
                        .read("d", yaml.getBytes(UTF_8), Format.YAML)
                        .problems()));
    }

    @Test
    void aFieldThatIsWrittenInTwoWaysIsThereTwice() {
        assertEquals(
                List.of("file:2: must not have the same key twice, was max_keys"),
                problems(limit(Map.of("maxKeys", new Located(5, "file:1"), "max_keys", new Located(6, "file:2")))));
    }

    @Test
    void equalTreesHaveEqualJsonInWhateverOrder() throws Exception {
        List<String> keys = new ArrayList<>(SampleDocuments.keys().keySet());
        Map<String, Object> one = new LinkedHashMap<>();
        keys.forEach(key -> one.put(key, SampleDocuments.keys().get(key)));
        Collections.reverse(keys);
        Map<String, Object> other = new LinkedHashMap<>();
        keys.forEach(key -> other.put(key, new Located(SampleDocuments.keys().get(key), key)));
        DocumentTree tree = DocumentTree.ofKeys(one);
        assertArrayEquals(tree.json(), DocumentTree.ofKeys(other).json());
        assertEquals(
                read(tree).limits().get("search").settings(),
                TestFactories.reader()
                        .read("d", tree.json(), Format.TREE)
                        .limits()
                        .get("search")
                        .settings());
        assertArrayEquals(
                limit(Map.of("concurrency", 40)).json(),
                limit(Map.of("concurrency", "40")).json());
        assertEquals(
                "{\"limits\":{\"a\":{\"b\":\"x\\u0007\\\"\\\\\",\"c\":[],\"d\":null,\"e\":[\"true\",\"0.1\",\"40\"]}}}",
                new String(
                        DocumentTree.ofKeys(Map.of(
                                        "limits.a.b",
                                        "x\u0007\"\\",
                                        "limits.a.c",
                                        "[]",
                                        "limits.a.d",
                                        new Located(null, "here"),
                                        "limits.a.e[2]",
                                        new BigDecimal("40.0"),
                                        "limits.a.e[0]",
                                        true,
                                        "limits.a.e[1]",
                                        0.1))
                                .json(),
                        UTF_8));
    }

    @Test
    void aTreeIsACopy() throws Exception {
        Map<String, Object> fields = new LinkedHashMap<>(Map.of("concurrency", 7));
        DocumentTree tree = limit(fields);
        fields.put("concurrency", 8);
        assertEquals(new Semaphore(7), read(tree).limits().get("a").spec());
    }

    @Test
    void whatIsNoTreeIsRefusedWhenItIsRead() {
        assertEquals(
                List.of("here: must have maps, lists, texts, numbers and booleans only, not java.lang.Object"),
                problems(limit(Map.of("rate", new Located(new Object(), "here")))));
        assertEquals(
                List.of("environment: must have text as a key"),
                problems(DocumentTree.of(Map.of("limits", Map.of(3, Map.of())))));
        assertEquals(
                List.of("environment: must have keys of 1 to 256 characters"),
                problems(DocumentTree.of(Map.of("", 1))));
        assertEquals(
                List.of("environment: limits must be given; {} = no limits"), problems(DocumentTree.ofKeys(Map.of())));
        assertEquals(
                List.of("environment: a: concurrency must be a whole number such as 40, 10k or 2M, was NaN"),
                problems(limit(Map.of("concurrency", Double.NaN))));
    }

    @Test
    void aSourceMaySayWhichRulesItsValuesBreak() {
        assertEquals(
                List.of("here: a must not be there twice", "there: b must not be there twice"),
                problems(DocumentTree.broken(List.of(
                        new Located("a must not be there twice", "here"),
                        new Located("b must not be there twice", "there")))));
        assertThrows(IllegalArgumentException.class, () -> DocumentTree.broken(List.of()));
    }

    @Test
    void aNameThatADotOrAnUnderscoreHasCutIsRecognized() {
        DocumentTree tree = DocumentTree.ofKeys(Map.of(
                "limits.shop.web.rate", new Located("5/s", "one"),
                "limits.mail.rate", new Located("5/s", "two"),
                "limits.mail.queue.capacity", new Located("5", "two"),
                "limits.mail.queue.max.wait", new Located("5s", "three")));
        List<String> problems = problems(tree);
        assertTrue(
                problems.contains("one: shop: web is not known; a name with a dot is written \"[shop.web]\""),
                problems::toString);
        assertTrue(
                problems.contains("three: mail: queue.max is not known; did you mean max-wait, in a variable MAXWAIT?"),
                problems::toString);
    }

    @Test
    void aFactoryThatFailsHurtsNoOtherName() throws Exception {
        StrategyFactory failing = new StrategyFactory() {
            @Override
            public String name() {
                return "failing";
            }

            @Override
            public String description() {
                return "fails";
            }

            @Override
            public List<Field<?>> fields() {
                throw new StackOverflowError();
            }

            @Override
            public StrategySpec create(Values values) {
                return new Semaphore(1);
            }
        };
        DocumentTree tree = DocumentTree.of(Map.of(
                "limits",
                Map.of("a", Map.of("maxKeys", 3, "KEY", "x", "concurrency", 1), "b", Map.of("algorithm", "failing"))));
        LimitsDocument document = Readers.with(failing).read("d", tree, limiter -> 0);
        assertEquals(Set.of("a"), document.limits().keySet());
        assertEquals(List.of("d: b: cannot be created: java.lang.StackOverflowError"), shown(document.problems()));
    }

    @Test
    void namesOfDocumentsThatArePropertiesAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> Format.of("limits.properties"));
        assertEquals(Format.YAML, Format.of("properties"));
        assertEquals(Format.JSON, Format.of("limits.JSON"));
    }
}
