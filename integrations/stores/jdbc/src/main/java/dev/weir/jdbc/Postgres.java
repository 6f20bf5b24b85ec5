package dev.weir.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;

/** PostgreSQL 12 or newer. */
record Postgres(Waits waits, String createTable, String read, String replace) implements Dialect {
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

    /**
     * LATERAL and LIMIT look for each name by the index. A plan that is made while the table is empty, and then kept, would read the whole
     * table.
     */
    private static final String READ = """
            SELECT @clock, t.name, t.version, t.state, t.expires FROM unnest(?) AS w (name) LEFT JOIN LATERAL
              (SELECT t.name, t.version, t.state, t.expires FROM @table AS t WHERE t.name = w.name LIMIT 1) AS t ON true""";

    /**
     * Writes only what is as expected in the snapshot of the statement, and in the order of the names, so that no two of these
     * statements wait for each other. It is compared again when the lock is there, because another one may have written meanwhile.
     */
    private static final String REPLACE = """
            WITH wanted AS MATERIALIZED (
              SELECT * FROM unnest(?, ?, ?, ?, ?, ?) AS w (name, version, state, due, ttl, fresh)
            ), seen AS MATERIALIZED (
              SELECT t.* FROM wanted AS w CROSS JOIN LATERAL
                (SELECT t.name, t.version, t.state, t.expires FROM @table AS t WHERE t.name = w.name LIMIT 1) AS t
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

    static Postgres of(String table, Waits waits) {
        Function<String, String> complete = sql -> sql.replace("@clock", CLOCK).replace("@table", table);
        return new Postgres(waits, complete.apply(CREATE), complete.apply(READ), complete.apply(REPLACE));
    }

    @Override
    public List<String> begin() {
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

    @Override
    public Rows replace(Connection connection, Replacements replacements) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(replace)) {
            replacements.setArrays(statement, "varchar", "int8", "bytea", 0);
            return Rows.of(statement);
        }
    }

    /** A row that was another one when its lock was there is not written, and in the snapshot it is as expected. */
    @Override
    public List<String> unclear(Replacements replacements, Rows rows) {
        return replacements.lost(rows);
    }

    /** A failure of serialization, or a deadlock. Another state of class 40 says that the end is not known. */
    @Override
    public boolean isUndone(SQLException failure) {
        return "40001".equals(failure.getSQLState()) || "40P01".equals(failure.getSQLState());
    }
}
