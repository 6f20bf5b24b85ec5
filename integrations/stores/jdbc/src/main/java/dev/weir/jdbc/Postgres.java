package dev.weir.jdbc;

import dev.weir.store.state.Stored;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;

/** PostgreSQL 12 or newer. */
record Postgres(String createTable, String read, String replace) implements Dialect {
    /** Not now(), which is the time at which the transaction began, before it waited for a lock. */
    private static final String CLOCK = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint";

    /** Room in each page keeps the new versions of a row in the page of the old ones, and out of the index. */
    private static final String CREATE = """
            CREATE TABLE IF NOT EXISTS @table (
              name varchar(255) COLLATE "C" PRIMARY KEY,
              version bigint NOT NULL,
              state bytea NOT NULL,
              expires bigint NOT NULL
            ) WITH (fillfactor = 50)""";

    private static final String READ = """
            SELECT @clock, t.name, t.version, t.state, t.expires
            FROM (SELECT 1) AS one LEFT JOIN @table AS t ON t.name = ANY (?)""";

    /**
     * Writes only what is as expected in the snapshot of the statement, and in the order of the names, so that no two of these
     * statements wait for each other. It is compared again when the lock is there, because another one may have written meanwhile.
     */
    private static final String REPLACE = """
            WITH wanted AS MATERIALIZED (
              SELECT * FROM unnest(?, ?, ?, ?, ?, ?) AS w (name, version, state, due, ttl, fresh)
            ), seen AS MATERIALIZED (
              SELECT t.name, t.version, t.state, t.expires FROM wanted AS w JOIN @table AS t ON t.name = w.name
            ), made AS (
              INSERT INTO @table AS t (name, version, state, expires)
              SELECT w.name, w.fresh, w.state, @clock + w.ttl
              FROM wanted AS w LEFT JOIN seen AS s ON s.name = w.name
              WHERE w.due <= @clock AND w.version = CASE WHEN s.expires > @clock THEN s.version ELSE 0 END
              ORDER BY w.name
              ON CONFLICT (name) DO UPDATE
              SET version = excluded.version, state = excluded.state, expires = excluded.expires
              WHERE t.version = (SELECT s.version FROM seen AS s WHERE s.name = t.name)
              RETURNING t.name, t.version, t.expires
            )
            SELECT @clock, w.name, coalesce(m.version, s.version), CASE WHEN m.version IS NULL THEN s.state ELSE '' END,
              coalesce(m.expires, s.expires)
            FROM wanted AS w LEFT JOIN made AS m ON m.name = w.name LEFT JOIN seen AS s ON s.name = w.name""";

    static Postgres of(String table) {
        Function<String, String> complete = sql -> sql.replace("@clock", CLOCK).replace("@table", table);
        return new Postgres(complete.apply(CREATE), complete.apply(READ), complete.apply(REPLACE));
    }

    @Override
    public List<String> begin(Waits waits) {
        return List.of(
                "SET lock_timeout = " + waits.lockMillis() + "; SET statement_timeout = " + waits.statementMillis());
    }

    @Override
    public List<String> end() {
        return List.of("RESET lock_timeout; RESET statement_timeout");
    }

    @Override
    public Rows read(Connection connection, List<String> names) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(read)) {
            statement.setArray(1, connection.createArrayOf("varchar", names.toArray()));
            return Rows.of(statement);
        }
    }

    /** A row that was another one when its lock was there is not written, and in the snapshot it is as expected: it is read again. */
    @Override
    public List<Stored> replace(Connection connection, Replacements replacements) throws SQLException {
        Rows rows;
        try (PreparedStatement statement = connection.prepareStatement(replace)) {
            replacements.setArrays(statement, "varchar", "int8", "bytea", 0);
            rows = Rows.of(statement);
        }
        List<Stored> stored = replacements.stored(rows);
        List<String> lost = replacements.lost(stored);
        return lost.isEmpty() ? stored : replacements.stored(rows.and(read(connection, lost)));
    }
}
