package dev.weir.config.document;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import dev.weir.named.plan.Problem;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The fields that the reference and the schema list are those that the reader knows: it lists them where a key is unknown. */
class DocumentFieldsTest {
    private static final String UNKNOWN = "qqqqqqqqqqqqqqqq";

    static Stream<Arguments> sections() {
        return Stream.of(
                Arguments.of("document: { KEY: 1 }, limits: {}", fields(DocumentFields.HEADER), Set.of()),
                Arguments.of(
                        "limits: { a: { KEY: 1 } }",
                        DocumentFields.LIMITER,
                        Set.of("algorithm", "concurrency", "rate", "budget", "throttle", "-template", "-rollout")),
                Arguments.of(
                        "limits: { a: { all-of: [ { KEY: 1 } ] } }",
                        DocumentFields.LIMIT,
                        Set.of("algorithm", "concurrency", "rate", "budget", "throttle")),
                Arguments.of(
                        "limits: { a: { rate: 1/s, warm-up: { period: 1s, KEY: 1 } } }",
                        part(DocumentFields.LIMIT, "warm-up"),
                        Set.of()),
                Arguments.of(
                        "limits: { a: { rate: 1/s, queue: { capacity: 1, KEY: 1 } } }",
                        part(DocumentFields.LIMITER, "queue"),
                        Set.of()),
                Arguments.of(
                        "limits: { a: { rate: 1/s, queue: { capacity: 1, retry: { initial: 1s, KEY: 1 } } } }",
                        part(part(DocumentFields.LIMITER, "queue"), "retry"),
                        Set.of()),
                Arguments.of(
                        "limits: { a: { rate: 1/s, adaptive: { KEY: 1 } } }",
                        part(DocumentFields.LIMITER, "adaptive"),
                        Set.of()),
                Arguments.of(
                        "limits: { a: { rate: 1/s, executor: { threads: 1, KEY: 1 } } }",
                        part(DocumentFields.LIMITER, "executor"),
                        Set.of()),
                Arguments.of(
                        "limits: { a: { rate: 1/s, scope: store, when-away: open, mode: { name: exact, KEY: 1 } } }",
                        part(DocumentFields.LIMITER, "mode"),
                        Set.of()),
                Arguments.of(
                        "limits: { a: { rate: 1/s, scope: store, when-away: { name: open, KEY: 1 } } }",
                        part(DocumentFields.LIMITER, "when-away"),
                        Set.of()),
                Arguments.of(
                        "limits: { a: { rate: 1/s, share: { quota: 1, of: b, degraded: 0, KEY: 1 } } }",
                        part(DocumentFields.LIMITER, "share"),
                        Set.of()),
                Arguments.of(
                        "limits: { a: { rate: 1/s, rollout: { percent: 1, KEY: 1 } } }",
                        part(DocumentFields.LIMITER, "rollout"),
                        Set.of()));
    }

    private static List<Field<?>> part(List<Field<?>> whole, String name) {
        return whole.stream()
                .filter(part -> part.name().equals(name))
                .map(DocumentFieldsTest::fields)
                .findFirst()
                .orElseThrow();
    }

    private static List<Field<?>> fields(Field<?> section) {
        return ((ValueType.Section<?>) section.type()).fields();
    }

    /**
     * Each section.
     *
     * @param others what the reader lists too; with a hyphen before it, what it reads before it lists the others
     */
    @ParameterizedTest
    @MethodSource("sections")
    void areThoseOfTheReader(String document, List<Field<?>> fields, Set<String> others) {
        Set<String> expected = new TreeSet<>();
        fields.stream().map(Field::name).forEach(expected::add);
        for (String other : others) {
            if (other.startsWith("-")) {
                expected.remove(other.substring(1));
            } else {
                expected.add(other);
            }
        }
        List<Problem> problems = problems("{ " + document.replace("KEY", UNKNOWN) + " }");
        assertEquals(1, problems.size(), problems::toString);
        String rule = problems.get(0).rule();
        String listed = rule.substring(rule.indexOf("known: ") + "known: ".length());
        assertEquals(expected, new TreeSet<>(List.of(listed.split(", "))));
    }

    private static List<Problem> problems(String document) {
        try {
            return DocumentReader.system()
                    .read("d", document.getBytes(StandardCharsets.UTF_8), Format.YAML)
                    .problems();
        } catch (DocumentException e) {
            return e.problems();
        }
    }
}
