package dev.weir.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The start of the machines of the comparison, and the figures that are compared. */
class CompareTest {
    static Stream<Row> rows() {
        return Row.ALL.stream();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void theHeapIsFixedAndTouchedBefore(Row row) {
        Collection<String> options = Compare.options(row, 1).getJvmArgsAppend().get();
        assertTrue(options.contains("-XX:+AlwaysPreTouch"), options::toString);
        assertEquals(sizes(options, "-Xms"), sizes(options, "-Xmx"));
        assertEquals(1, sizes(options, "-Xmx").size(), options::toString);
    }

    @ParameterizedTest
    @MethodSource("rows")
    void aProcessHasOneKindOnlyWhereTheRowSaysSo(Row row) {
        assertTrue(Compare.options(row, 1)
                .getJvmArgsAppend()
                .get()
                .contains("-Dweir.alone=" + row.work().endsWith("-alone")));
    }

    @Test
    void cpuTimeIsComparedWhereOneThreadNeverSleeps() {
        assertEquals(0.5, compared("rate-deny", 1).toPeer());
        assertEquals("quick", compared("rate-deny", 1).bestPeer().method());
        assertEquals(3.0, compared("rate-deny", 2).toPeer());
        assertEquals("patient", compared("rate-deny", 2).bestPeer().method());
        assertEquals(3.0, compared("queue-wake", 1).toPeer());
    }

    /* By the time that passes 3 times the best peer, by CPU time half. */
    private static Comparison compared(String work, int threads) {
        Row row = Row.ALL.stream()
                .filter(one -> one.work().equals(work))
                .findAny()
                .orElseThrow();
        return Comparison.of(
                row,
                threads,
                List.of(
                        new Score("weir", 30, 0, 20, 0),
                        new Score("quick", 20, 0, 40, 0),
                        new Score("patient", 10, 0, 50, 0),
                        new Score(row.floor(), 5, 0, 5, 0)));
    }

    @Test
    void thePageHasALineForEachRow() {
        assertEquals(
                """
                | row | Weir | bytes | best peer | floor | to the peer | to the floor |
                |---|---|---|---|---|---|---|
                | `rate-deny` | 20.0 / 30.0 | 0 | 40.0 quick / 10.0 patient | 5.0 / 5.0 | 0.50 / 3.00 | 4.00 / 6.00 |
                | `queue-wake` | 30.0 | 0 | 10.0 patient | 5.0 | 3.00 | 6.00 |
                """,
                PageTable.of(List.of(compared("rate-deny", 1), compared("rate-deny", 2), compared("queue-wake", 1))));
    }

    private static List<String> sizes(Collection<String> options, String name) {
        return options.stream()
                .filter(option -> option.startsWith(name))
                .map(option -> option.substring(name.length()))
                .toList();
    }
}
