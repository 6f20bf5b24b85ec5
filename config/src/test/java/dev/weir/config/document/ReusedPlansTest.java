package dev.weir.config.document;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.algorithms.Semaphore;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.StrategyFactory;
import dev.weir.config.factory.Values;
import dev.weir.named.plan.LimitPlan;
import dev.weir.spi.StrategySpec;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Large documents: only limits that differ are planned again. */
class ReusedPlansTest {
    private static final int LIMITS = 10_000;

    /** Counts what it creates: each plan of these documents is one. */
    private static final class Counting implements StrategyFactory {
        private static final Field<Long> SIZE = Field.count("size").needed();
        private final AtomicInteger created = new AtomicInteger();

        @Override
        public String name() {
            return "counting";
        }

        @Override
        public String description() {
            return "counts";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(SIZE);
        }

        @Override
        public StrategySpec create(Values values) {
            created.getAndIncrement();
            return new Semaphore(values.get(SIZE));
        }
    }

    private final Counting factory = new Counting();
    private final DocumentReader reader = Readers.with(factory);

    private LimitsDocument read(String text) throws DocumentException {
        return reader.read("d", text.getBytes(UTF_8), Format.YAML);
    }

    /** How many limits are planned for this document. */
    private int planned(String text) throws DocumentException {
        int before = factory.created.get();
        assertEquals(List.of(), read(text).problems());
        return factory.created.get() - before;
    }

    private static String limits(String... fields) {
        return IntStream.range(0, fields.length)
                .mapToObj(i -> "  l" + i + ": { algorithm: counting, " + fields[i] + " }\n")
                .collect(Collectors.joining("", "limits:\n", ""));
    }

    @Test
    void oneChangedLineAmongTenThousandPlansOneLimit() throws Exception {
        String[] fields = new String[LIMITS];
        java.util.Arrays.fill(fields, "size: 7");
        assertEquals(LIMITS, planned(limits(fields)));
        assertEquals(0, planned("# a line more\n" + limits(fields)));
        fields[4321] = "size: 8";
        assertEquals(1, planned(limits(fields)));
        assertEquals(
                new Semaphore(8), read(limits(fields)).limits().get("l4321").spec());
        assertEquals(
                new Semaphore(7), read(limits(fields)).limits().get("l4322").spec());
    }

    @Test
    void aChangedTemplatePlansWhatUsesIt() throws Exception {
        String document = "templates: { t: { size: 3, template: u }, u: { queue: 5 } }\n"
                + limits("template: t", "template: u, size: 3", "size: 3", "template: t, queue: 5");
        assertEquals(4, planned(document));
        assertEquals(0, planned(document));
        assertEquals(
                1,
                planned(document.replace("t: { size: 3", "t: { size: 4")
                        .replace("template: t, ", "template: t, size: 3, ")));
        assertEquals(2, planned(document.replace("queue: 5 } }", "queue: 6 } }")));
    }

    @Test
    void theSideOfARolloutIsPartOfAPlan() throws Exception {
        byte[] content = limits("size: 3, rollout: { percent: 10, to: { size: 4 } }", "size: 3")
                .getBytes(UTF_8);
        for (double place : new double[] {5, 50, 5}) {
            assertEquals(
                    new Semaphore(place < 10 ? 4 : 3),
                    reader.read("d", content, Format.YAML, limiter -> place)
                            .limits()
                            .get("l0")
                            .spec());
        }
    }

    @Test
    void aWrongLimitIsReportedEachTimeWithItsPlace() throws Exception {
        String wrong = limits("size: 3", "size: 0");
        assertEquals(
                "d:3:36: l1: size must be >= 1, was 0",
                read(wrong).problems().get(0).toString());
        assertEquals(
                "d:4:36: l1: size must be >= 1, was 0",
                read("# a line more\n" + wrong).problems().get(0).toString());
        assertEquals(1, planned(limits("size: 3", "size: 3")));
    }

    @Test
    void placesThatArePartOfAPlanAreThoseOfTheDocument() throws Exception {
        String document =
                limits("size: 3, scope: store, when-away: open", "size: 3, share: { quota: 4, of: z, degraded: 1 }");
        for (String before : List.of("", "# a line more\n", "")) {
            LimitsDocument read = read(before + document);
            int line = before.isEmpty() ? 2 : 3;
            assertEquals(line, read.limits().get("l0").stored().line());
            assertEquals(line + 1, read.limits().get("l1").find(LimitPlan.SHARE).line());
        }
    }

    @Test
    void theSizeOfADocumentIsASetting() throws Exception {
        byte[] large = IntStream.range(0, 30_000)
                .mapToObj(i -> "  limit-number-" + i + ": { rate: 100/s, burst: 200 }\n")
                .collect(Collectors.joining("", "limits:\n", ""))
                .getBytes(UTF_8);
        assertEquals("d: must have at most 1048576 bytes, was " + large.length, problem(TestFactories.reader(), large));
        assertEquals(
                "d:16668:23: must have at most 100000 keys and values",
                problem(TestFactories.reader().within(large.length, 100_000), large));
        LimitsDocument read =
                TestFactories.reader().within(large.length, 1_000_000).read("d", large, Format.YAML);
        assertEquals(List.of(), read.problems());
        assertEquals(30_000, read.limits().size());
        assertThrows(IllegalArgumentException.class, () -> reader.within(0, 1));
        assertThrows(IllegalArgumentException.class, () -> reader.within(1, 0));
    }

    private static String problem(DocumentReader reader, byte[] content) {
        return assertThrows(DocumentException.class, () -> reader.read("d", content, Format.YAML))
                .problems()
                .get(0)
                .toString();
    }
}
