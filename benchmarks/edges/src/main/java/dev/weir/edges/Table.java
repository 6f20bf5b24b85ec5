package dev.weir.edges;

import java.io.PrintStream;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The comparison as a table of Markdown. */
final class Table {
    private Table() {}

    /**
     * The figures of one server.
     *
     * @param cpuNanos of the process, by request
     * @param addedCpuNanos the same, above the server without a limit
     * @param addedNanos of the thread of the request, in the limit alone
     * @param addedBytes allocated in the limit alone
     */
    record Row(Contender contender, double cpuNanos, double addedCpuNanos, double addedNanos, double addedBytes) {
        boolean isLike(Row other) {
            return contender.limit() == other.contender.limit() && contender.fields() == other.contender.fields();
        }
    }

    /** By limit; those with fields after those without. */
    static void print(PrintStream out, List<Row> measured) {
        List<Row> rows = measured.stream()
                .sorted(Comparator.comparing((Row row) -> row.contender.fields())
                        .thenComparing(row -> row.contender.limit(), Comparator.nullsFirst(Comparator.naturalOrder())))
                .toList();
        out.println("| limit | fields | of | CPU, us | CPU added, us | time in the limit, ns | to Weir | bytes | to Weir |");
        out.println("|---|---|---|---|---|---|---|---|---|");
        for (Row row : rows) {
            Contender contender = row.contender;
            Optional<Row> ours = rows.stream()
                    .filter(each -> each.contender.product().equals(Contenders.WEIR) && each.isLike(row))
                    .findAny();
            out.printf(
                    Locale.ROOT,
                    "| %s | %s | %s | %.2f | %.2f | %.0f | %s | %.0f | %s |%n",
                    contender.limit() == null ? "" : contender.limit().text,
                    contender.fields() ? "yes" : "",
                    contender.product(),
                    row.cpuNanos / 1e3,
                    row.addedCpuNanos / 1e3,
                    row.addedNanos,
                    ours.map(our -> ratio(row.addedNanos, our.addedNanos)).orElse(""),
                    row.addedBytes,
                    ours.map(our -> ratio(row.addedBytes, our.addedBytes)).orElse(""));
        }
    }

    /** The rows of starters that add no more than Weir does: there must be none. */
    static List<Row> notAhead(List<Row> rows) {
        return rows.stream()
                .filter(row -> row.contender.product().endsWith("starter"))
                .filter(row -> rows.stream()
                        .filter(each -> each.contender.product().equals(Contenders.WEIR) && each.isLike(row))
                        .anyMatch(our -> our.addedNanos >= row.addedNanos || our.addedBytes >= row.addedBytes))
                .toList();
    }

    private static String ratio(double its, double ours) {
        return String.format(Locale.ROOT, "%.2f", its / ours);
    }
}
