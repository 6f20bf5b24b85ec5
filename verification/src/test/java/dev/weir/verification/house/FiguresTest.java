package dev.weir.verification.house;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
 * How long the files of each published module are, and how many of its types are public: not counted are those that only other
 * modules of Weir can read. The test prints the table; to see it alone: {@code mvn -q -pl verification -am test -Dtest=FiguresTest -Dsurefire.failIfNoSpecifiedTests=false}.
 */
@Tag("house")
class FiguresTest {
    private static final Pattern PUBLIC =
            Pattern.compile("(?m)^public (?:[a-z-]+ )*(?:class|interface|@interface|record|enum) \\w");
    private static final Pattern SHARED = Pattern.compile("exports ([\\w.]+) to");

    private enum Figure {
        MEDIAN(70),
        P90(220),
        LONGEST(450),
        PUBLIC_PERCENT(45);

        private final long target;

        Figure(long target) {
            this.target = target;
        }
    }

    /** A figure of a module that misses its target, and what it may be at most. */
    private record Shortfall(Products module, Figure figure, long max) {}

    private static final List<Shortfall> SHORTFALLS = List.of(
            new Shortfall(Products.ALGORITHMS, Figure.MEDIAN, 83), new Shortfall(Products.CONFIG, Figure.MEDIAN, 74));

    /** The few files of an integration are no sample to take a median of. */
    private static final List<Products> COUNTED = List.of(
            Products.API,
            Products.ALGORITHMS,
            Products.ADAPTIVE,
            Products.ADMISSION_QUEUE,
            Products.CONFIG,
            Products.DISTRIBUTED,
            Products.TESTKIT);

    @Test
    void filesAreShortAndTypesHidden() {
        List<String> wrong = new ArrayList<>();
        StringBuilder table = new StringBuilder(String.format(
                "%-16s %5s %6s %6s %5s %7s %8s%n", "module", "files", "lines", "median", "p90", "longest", "public %"));
        for (Products module : COUNTED) {
            List<Path> files = module.sources();
            long[] lines = files.stream().mapToLong(FiguresTest::lines).sorted().toArray();
            Set<Path> shared = shared(module);
            long shown = files.stream()
                    .filter(file -> !shared.contains(file.getParent()))
                    .filter(file -> PUBLIC.matcher(Products.read(file)).find())
                    .count();
            long[] figures = {
                rank(lines, 50), rank(lines, 90), lines[lines.length - 1], Math.round(100.0 * shown / lines.length)
            };
            table.append(String.format(
                    "%-16s %5d %6d %6d %5d %7d %8d%n",
                    module, lines.length, LongStream.of(lines).sum(), figures[0], figures[1], figures[2], figures[3]));
            for (Figure figure : Figure.values()) {
                check(module, figure, figures[figure.ordinal()], wrong);
            }
        }
        System.out.print(table);
        assertEquals(List.of(), wrong, table::toString);
    }

    private static void check(Products module, Figure figure, long found, List<String> wrong) {
        long max = SHORTFALLS.stream()
                .filter(shortfall -> shortfall.module == module && shortfall.figure == figure)
                .mapToLong(Shortfall::max)
                .findAny()
                .orElse(figure.target);
        if (found > max) {
            wrong.add(module + ": " + figure + " is " + found + ", over " + max);
        } else if (max > figure.target && found <= figure.target) {
            wrong.add(module + ": " + figure + " is " + found + " and meets its target: remove its shortfall");
        }
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

    /** As {@code wc -l} counts. */
    private static long lines(Path file) {
        return Products.read(file).chars().filter(c -> c == '\n').count();
    }

    private static long rank(long[] sorted, int percent) {
        return sorted[(sorted.length * percent + 99) / 100 - 1];
    }
}
