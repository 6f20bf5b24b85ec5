package dev.weir.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.UnaryOperator;

/** H2 2.0 or newer. */
record H2(Waits waits, String createTable, String read, String replace) implements Dialect {
    /** Of the beginning of the statement. */
    private static final String CLOCK = "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)";

    /** A database may be told that VARCHAR ignores case. */
    private static final String CREATE = """
            CREATE TABLE IF NOT EXISTS @table (
              name VARCHAR_CASESENSITIVE(255) PRIMARY KEY,
              version BIGINT NOT NULL,
              state VARBINARY(1048576) NOT NULL,
              expires BIGINT NOT NULL
            )""";

    private static final String READ = """
            SELECT @clock, t.name, t.version, t.state, t.expires
            FROM (VALUES (1)) AS one LEFT JOIN @table AS t ON t.name = ANY (?)""";

    /** While H2 waits for a lock, it executes the statement again and again: then the first rows have the new version. */
    private static final String REPLACE = """
            SELECT @clock, name, version, state, expires FROM FINAL TABLE (
              MERGE INTO @table AS t
              USING (SELECT * FROM UNNEST(CAST(? AS VARCHAR ARRAY), CAST(? AS BIGINT ARRAY), CAST(? AS VARBINARY ARRAY),
                CAST(? AS BIGINT ARRAY), CAST(? AS BIGINT ARRAY), CAST(? AS BIGINT ARRAY))
                AS u (name, version, state, due, ttl, fresh)) AS w
              ON t.name = CAST(w.name AS VARCHAR_CASESENSITIVE)
              WHEN MATCHED AND (t.version = w.fresh
                  OR w.due <= @clock AND w.version = CASE WHEN t.expires > @clock THEN t.version ELSE 0 END)
                THEN UPDATE SET version = w.fresh, state = w.state, expires = @clock + w.ttl
              WHEN NOT MATCHED AND w.due <= @clock AND w.version = 0
                THEN INSERT (name, version, state, expires) VALUES (w.name, w.fresh, w.state, @clock + w.ttl))""";

    static H2 of(String table, Waits waits) {
        UnaryOperator<String> complete = sql -> sql.replace("@clock", CLOCK).replace("@table", table);
        return new H2(waits, complete.apply(CREATE), complete.apply(READ), complete.apply(REPLACE));
    }

    @Override
    public List<String> begin() {
        return List.of("SET LOCK_TIMEOUT " + waits.lockMillis(), "SET QUERY_TIMEOUT " + waits.statementMillis());
    }

    @Override
    public List<String> end() {
        return List.of("SET LOCK_TIMEOUT 2000", "SET QUERY_TIMEOUT 0");
    }

    @Override
    public Rows read(Connection connection, List<String> names) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(read)) {
            statement.setArray(1, connection.createArrayOf("VARCHAR", names.toArray()));
            return Rows.of(statement);
        }
    }

    /**
     * A query that fails keeps what it has changed by then, so that of several names is a transaction. It may wait after its beginning:
     * what it writes expires later by that.
     */
    @Override
    public Rows replace(Connection connection, Replacements replacements) throws SQLException {
        if (replacements.versions().length == 1) {
            return execute(connection, replacements);
        }
        connection.setAutoCommit(false);
        try {
            Rows rows = execute(connection, replacements);
            connection.commit();
            return rows;
        } catch (SQLException | RuntimeException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private Rows execute(Connection connection, Replacements replacements) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(replace)) {
            replacements.setArrays(statement, "VARCHAR", "BIGINT", "VARBINARY", waits.statementMicros());
            return Rows.of(statement);
        }
    }

    @Override
    public List<String> unclear(Replacements replacements, Rows rows) {
        return replacements.notIn(rows);
    }

    /** A deadlock, or another one has inserted a row meanwhile. */
    @Override
    public boolean isUndone(SQLException failure) {
        return "40001".equals(failure.getSQLState()) || "23505".equals(failure.getSQLState());
    }
}
