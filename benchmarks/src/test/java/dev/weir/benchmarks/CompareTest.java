package dev.weir.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How the machines of the comparison are started. */
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

    private static List<String> sizes(Collection<String> options, String name) {
        return options.stream()
                .filter(option -> option.startsWith(name))
                .map(option -> option.substring(name.length()))
                .toList();
    }
}
