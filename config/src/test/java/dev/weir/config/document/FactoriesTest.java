package dev.weir.config.document;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Semaphore;
import dev.weir.config.builtin.Factories;
import dev.weir.config.document.TestFactories.Strategies;
import dev.weir.config.factory.Factory;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import dev.weir.config.factory.Values;
import dev.weir.named.plan.Problem;
import dev.weir.spi.StrategySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class FactoriesTest {
    private static final Field<Long> SIZE = Field.count("size").needed();
    private static final Field<Map<String, Double>> PARTS =
            Field.map("parts", Field.share("").type());

    private static Strategies factory(String name, Function<Values, StrategySpec> creation) {
        return new Strategies(name, List.of(SIZE, PARTS, Field.limit("inner")), creation);
    }

    private static LimitsDocument read(String text, Factory<?>... more) throws DocumentException {
        List<Factory<?>> factories = new ArrayList<>(TestFactories.all());
        factories.addAll(List.of(more));
        return new DocumentReader(Factories.of(factories)).read("d", text.getBytes(UTF_8), Format.YAML);
    }

    private static List<String> problems(String text, Factory<?>... more) throws DocumentException {
        return read(text, more).problems().stream().map(Problem::toString).toList();
    }

    @Test
    void aUserFactoryHasANameAndFields() throws Exception {
        List<Object> seen = new ArrayList<>();
        LimitsDocument document = read(
                "limits: { a: { algorithm: own, size: 3, parts: { x: 10%, y.z: 0.5 }, inner: { rate: 1/s, key: user } } }",
                factory("own", values -> {
                    seen.add(values.get(PARTS));
                    seen.add(values.find(Field.limit("inner")).isPresent());
                    seen.add(values.find(Field.text("missing")));
                    return new Semaphore(values.get(SIZE));
                }));
        assertEquals(List.of(), document.problems());
        assertEquals(List.of(Map.of("x", 0.1, "y.z", 0.5), true, Optional.empty()), seen);
        assertEquals(List.of("user"), document.limits().get("a").dimensions());
    }

    @Test
    void aFieldOfAUserMayBeASection() throws Exception {
        Field<Long> twice = Field.of(
                "twice",
                new ValueType.Section<>(
                        "a map, or only its size", List.of(SIZE), SIZE, values -> 2 * values.get(SIZE)));
        Strategies own = new Strategies("own", List.of(twice), values -> new Semaphore(values.get(twice)));
        for (String given : List.of("{ size: 3 }", "3")) {
            LimitsDocument document = read("limits: { a: { algorithm: own, twice: " + given + " } }", own);
            assertEquals(List.of(), document.problems());
            assertEquals(new Semaphore(6), document.limits().get("a").spec());
        }
        assertEquals(
                List.of(
                        "d:1:39: a: twice must be a map, or only its size, was a list",
                        "d:1:73: b: twice.size must be given",
                        "d:1:75: b: twice.sise is not known; did you mean size?"),
                problems(
                        "limits: { a: { algorithm: own, twice: [] }, b: { algorithm: own, twice: { sise: 1 } } }",
                        own));
    }

    @Test
    void whateverAFactoryThrowsIsAProblemOfItsMap() throws Exception {
        String text = "limits: { a: { algorithm: own, size: 3 }, b: { concurrency: 1 } }";
        assertEquals(List.of("d:1:14: a: size must be even"), problems(text, factory("own", values -> {
            throw new IllegalArgumentException("size must be even");
        })));
        assertEquals(
                List.of("d:1:14: a: cannot be created: java.lang.AssertionError: no"),
                problems(text, factory("own", values -> {
                    throw new AssertionError("no");
                })));
        assertEquals(
                List.of("d:1:14: a: missing must be given"),
                problems(text, factory("own", values -> new Semaphore(values.get(Field.count("missing"))))));
        assertTrue(problems(
                        text,
                        factory(
                                "own",
                                values -> new Semaphore(
                                        values.get(Field.text("size")).length())))
                .get(0)
                .startsWith("d:1:14: a: cannot be created: java.lang.ClassCastException"));
    }

    @Test
    void aNameOfTwoFactoriesIsUsedForNeither() throws Exception {
        List<String> problems = problems(
                "limits: { a: { concurrency: 1 }, b: { rate: 1/s } }",
                factory("semaphore", values -> new Semaphore(1)));
        assertEquals(1, problems.size());
        assertTrue(
                problems.get(0).startsWith("d:1:14: a: algorithm is the name of several factories: "),
                problems::toString);
    }

    @Test
    void aFactoryWithoutAUsableNameHidesNoOther() throws Exception {
        List<String> problems = problems(
                "limits: { a: { concurrency: 1 }, b: { algorithm: Own } }",
                new Strategies("No Name", List.of(), values -> new Semaphore(1)));
        assertEquals(1, problems.size());
        assertTrue(
                problems.get(0).contains("not loaded: dev.weir.config.document.TestFactories$Strategies"),
                problems::toString);
    }

    @Test
    void theSystemHasAReader() {
        assertNotNull(DocumentReader.system());
    }
}
