package dev.weir.benchmarks.store;

import java.util.List;
import java.util.Locale;

/** The comparison as a table of Markdown. */
final class StoreTable {
    private static final double FEW = 0.0005;

    private StoreTable() {}

    /** A line for each row; the first is the floor of all. */
    static String of(List<Measured> rows) {
        StringBuilder table = new StringBuilder("""
                | `./weir bench store` | what | keys | decisions a second | of the floor | Redis, us | client, us | p50, ms | p99, ms | bytes of a key |
                |---|---|---|---|---|---|---|---|---|---|
                """);
        rows.forEach(row -> table.append(line(row, rows.get(0))));
        return table.toString();
    }

    private static String line(Measured measured, Measured floor) {
        StoreRow row = measured.row();
        return String.format(
                Locale.ROOT,
                "| `%s` | %s%s | %,d | %,.0f | %s | %s | %s | %s | %s | %s |%n",
                row.name(),
                row.what(),
                row.isFar() ? network(row) : refused(measured),
                row.terms().keys(),
                measured.median(Turn.Figures::perSecond),
                row.place() == Place.REDIS ? String.format(Locale.ROOT, "%.2f", measured.perSecondTo(floor)) : "",
                row.place().isRedis() ? micros(measured.median(Turn.Figures::redisMicros)) : "",
                micros(measured.median(Turn.Figures::clientMicros)),
                millis(measured.median(Turn.Figures::p50Millis)),
                millis(measured.median(Turn.Figures::p99Millis)),
                memory(measured));
    }

    private static String network(StoreRow row) {
        return row.load() == 0 ? "; 1,000/s" : String.format(Locale.ROOT, "; 1,000/s beside %,d/s", row.load());
    }

    private static String refused(Measured measured) {
        double refused = measured.median(Turn.Figures::refused);
        return refused < FEW ? "" : String.format(Locale.ROOT, "; %.1f %% refused", 100 * refused);
    }

    private static String micros(double value) {
        return String.format(Locale.ROOT, value < 1 ? "%.2f" : "%.1f", value);
    }

    private static String millis(double value) {
        return String.format(Locale.ROOT, value < 0.1 ? "%.4f" : "%.2f", value);
    }

    private static String memory(Measured measured) {
        KeyMemory memory = measured.memory();
        return memory == null ? "" : String.format(Locale.ROOT, "%.0f / %.0f", memory.one(), memory.ten());
    }
}
