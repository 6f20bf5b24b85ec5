package dev.weir.benchmarks;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The comparisons as a table in Markdown, a line for each work, with its numbers of threads side by side. */
final class PageTable {
    private static final String HEAD =
            "| row | Weir | bytes | best peer | floor | to the peer | to the floor |\n|---|---|---|---|---|---|---|\n";

    private PageTable() {}

    static String of(Collection<Comparison> comparisons) {
        Map<String, List<Comparison>> works = comparisons.stream()
                .collect(Collectors.groupingBy(Comparison::work, LinkedHashMap::new, Collectors.toList()));
        return works.values().stream().map(PageTable::line).collect(Collectors.joining("\n", HEAD, "\n"));
    }

    private static String line(List<Comparison> work) {
        return "| `" + work.get(0).work() + "` | "
                + String.join(
                        " | ",
                        each(work, c -> nanos(c.nanos(c.ours()))),
                        String.format(Locale.ROOT, "%,.0f", work.get(0).ours().bytes()),
                        each(
                                work,
                                c -> nanos(c.nanos(c.bestPeer())) + " "
                                        + c.bestPeer().method()),
                        each(work, c -> nanos(c.nanos(c.floor()))),
                        each(work, c -> String.format(Locale.ROOT, "%.2f", c.toPeer())),
                        each(work, c -> String.format(Locale.ROOT, "%.2f", c.toFloor())))
                + " |";
    }

    private static String each(List<Comparison> work, Function<Comparison, String> figure) {
        return work.stream().map(figure).collect(Collectors.joining(" / "));
    }

    private static String nanos(double nanos) {
        return String.format(Locale.ROOT, nanos < 100 ? "%.1f" : "%,.0f", nanos);
    }
}
