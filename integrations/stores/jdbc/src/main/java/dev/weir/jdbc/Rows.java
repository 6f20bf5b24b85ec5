package dev.weir.jdbc;

import dev.weir.store.state.Stored;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Rows that were answered, by name, and the clock of the server at the last of them. */
record Rows(Map<String, Row> rows, long atMicros) {
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Row(long version, byte[] state, long expires) {}

    /** All rows of a query: clock, name, version, state, expires. In a row that only tells the clock the others are null. */
    static Rows of(PreparedStatement query) throws SQLException {
        Map<String, Row> rows = new HashMap<>();
        long atMicros = 0;
        try (ResultSet results = query.executeQuery()) {
            while (results.next()) {
                atMicros = Math.max(atMicros, results.getLong(1));
                byte @Nullable [] state = results.getBytes(4);
                if (state != null) {
                    rows.put(results.getString(2), new Row(results.getLong(3), state, results.getLong(5)));
                }
            }
        }
        return new Rows(rows, atMicros);
    }

    /** These, and those that were answered later, which take the place of those of the same name. */
    Rows and(Rows later) {
        Map<String, Row> both = new HashMap<>(rows);
        both.putAll(later.rows);
        return new Rows(both, later.atMicros);
    }

    /** The value of a name. What has expired is none. */
    Stored stored(String name) {
        @Nullable Row row = rows.get(name);
        return row == null || row.expires <= atMicros
                ? Stored.absent(atMicros)
                : Stored.present(row.state, row.version, atMicros);
    }

    /** True if the value of this name was written with this version. */
    boolean has(String name, long version) {
        @Nullable Row row = rows.get(name);
        return row != null && row.version == version && row.expires > 0;
    }
}
