package dev.weir.benchmarks.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A Markdown table whose columns are aligned, so that it is read in a terminal too. */
public final class Table {
    private final List<List<String>> rows = new ArrayList<>();

    /** A table with these names of columns. */
    public Table(List<String> head) {
        rows.add(List.copyOf(head));
    }

    /**
     * Adds a row.
     *
     * @throws IllegalArgumentException if it has not as many cells as the head
     */
    public void row(List<String> cells) {
        if (cells.size() != rows.get(0).size()) {
            throw new IllegalArgumentException("cells must be " + rows.get(0).size() + ", were " + cells.size());
        }
        rows.add(List.copyOf(cells));
    }

    @Override
    public String toString() {
        int[] widths = IntStream.range(0, rows.get(0).size())
                .map(column ->
                        rows.stream().mapToInt(row -> row.get(column).length()).reduce(3, Math::max))
                .toArray();
        StringBuilder out = new StringBuilder();
        for (List<String> row : rows) {
            out.append(line(row, widths, " "));
            if (out.indexOf("\n") == out.length() - 1) {
                List<String> none = row.stream().map(cell -> "").toList();
                out.append(line(none, widths, "-"));
            }
        }
        return out.toString();
    }

    private static String line(List<String> row, int[] widths, String filler) {
        return IntStream.range(0, widths.length)
                .mapToObj(i -> row.get(i) + filler.repeat(widths[i] - row.get(i).length()))
                .collect(Collectors.joining(" | ", "| ", " |\n"));
    }
}
