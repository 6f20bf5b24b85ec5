package dev.weir.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The length of the files of each published module. The test prints a table, in which the median and the share of types that are
 * public are reported only; types that only other modules of Weir can read do not count as public. To see it alone: {@code mvn -q
 * -pl verification/house -am test -Dtest=FiguresTest -Dsurefire.failIfNoSpecifiedTests=false}.
 */
@Tag("house")
class FiguresTest {
    /** Of a file whose only top-level type is public: what users read as one. */
    private static final long MAX_LINES_OF_ONE = 600;

    private static final long MAX_LINES = 450;
    private static final Pattern TYPE =
            Pattern.compile("(?m)^(?:[a-z-]+ )*(?:class|interface|@interface|record|enum) \\w");
    private static final Pattern PUBLIC =
            Pattern.compile("(?m)^public (?:[a-z-]+ )*(?:class|interface|@interface|record|enum) \\w");
    private static final Pattern SHARED = Pattern.compile("exports ([\\w.]+) to");

    @Test
    void noFileIsLong() {
        List<String> tooLong = new ArrayList<>();
        StringBuilder table = new StringBuilder(String.format(
                "%-16s %5s %6s %6s %7s %8s%n", "module", "files", "lines", "median", "longest", "public %"));
        for (Products module : Products.values()) {
            List<Path> files = module.sources();
            assertTrue(!files.isEmpty(), module::toString);
            files.stream()
                    .filter(file -> lines(file) > maxLines(file))
                    .forEach(file -> tooLong.add(file + " has " + lines(file) + " lines, more than " + maxLines(file)));
            table.append(row(module, files));
        }
        System.out.print(table);
        assertEquals(List.of(), tooLong);
    }

    private static String row(Products module, List<Path> files) {
        long[] lines = files.stream().mapToLong(FiguresTest::lines).sorted().toArray();
        Set<Path> shared = shared(module);
        long shown = files.stream()
                .filter(file -> !shared.contains(file.getParent()))
                .filter(file -> PUBLIC.matcher(Products.read(file)).find())
                .count();
        return String.format(
                "%-16s %5d %6d %6d %7d %8d%n",
                module,
                lines.length,
                LongStream.of(lines).sum(),
                lines[lines.length / 2],
                lines[lines.length - 1],
                Math.round(100.0 * shown / lines.length));
    }

    /** The folders of the packages that are exported to some modules only. */
    private static Set<Path> shared(Products module) {
        return module.allSources().stream()
                .filter(file -> file.endsWith("module-info.java"))
                .flatMap(file -> SHARED.matcher(Products.read(file))
                        .results()
                        .map(found -> file.resolveSibling(found.group(1).replace('.', '/'))))
                .collect(Collectors.toSet());
    }

    private static long maxLines(Path file) {
        String text = Products.read(file);
        boolean one = TYPE.matcher(text).results().count() == 1;
        return one && PUBLIC.matcher(text).find() ? MAX_LINES_OF_ONE : MAX_LINES;
    }

    /** As {@code wc -l} counts. */
    private static long lines(Path file) {
        return Products.read(file).chars().filter(c -> c == '\n').count();
    }
}
