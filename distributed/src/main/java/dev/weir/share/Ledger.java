package dev.weir.share;

import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The entry of the registry that holds the shares of all instances, and its text. The sum of {@link Row#granted} is at most the
 * quota at every instant.
 *
 * @param epoch counts up, slowly, while something depends on it; {@link #NEW} if the ledger was lost, or there never was one
 * @param rows by instance, then by token
 */
record Ledger(long epoch, List<Row> rows) {
    static final String VERSION = "weir-share 1 epoch ";
    static final String COLUMNS = "instance token granted degraded quota weight demand gone";

    /**
     * The first epoch. Instances may have shares that are not in the ledger: for as long as those may last nobody grows, and each
     * writes what it has.
     */
    static final long NEW = 0;

    private static final Comparator<Row> ORDER =
            Comparator.comparing(Row::instance).thenComparing(Row::token);

    Ledger {
        rows = rows.stream().sorted(ORDER).toList();
    }

    boolean isNew() {
        return epoch == NEW;
    }

    @Nullable
    Row row(String instance, String token) {
        return rows.stream()
                .filter(row -> row.isOf(instance, token))
                .findFirst()
                .orElse(null);
    }

    String text() {
        StringBuilder text = new StringBuilder(VERSION)
                .append(epoch)
                .append('\n')
                .append(COLUMNS)
                .append('\n');
        for (Row row : rows) {
            text.append(row.instance()).append(' ').append(row.token());
            LongStream.of(row.granted(), row.degraded(), row.quota(), row.weight(), row.demand(), row.gone())
                    .mapToObj(number -> number < 0 || number >= Row.MAX ? " -" : " " + number)
                    .forEach(text::append);
            text.append('\n');
        }
        return text.toString();
    }
}
