package dev.weir.jdbc;

import dev.weir.store.state.Stored;
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

    private static final String REPLACE = """
            SELECT @clock, name, version, state, expires FROM FINAL TABLE (
              MERGE INTO @table AS t
              USING (SELECT * FROM UNNEST(CAST(? AS VARCHAR ARRAY), CAST(? AS BIGINT ARRAY), CAST(? AS VARBINARY ARRAY),
                CAST(? AS BIGINT ARRAY), CAST(? AS BIGINT ARRAY), CAST(? AS BIGINT ARRAY))
                AS u (name, version, state, due, ttl, fresh)) AS w
              ON t.name = CAST(w.name AS VARCHAR_CASESENSITIVE)
              WHEN MATCHED AND w.due <= @clock AND w.version = CASE WHEN t.expires > @clock THEN t.version ELSE 0 END
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

    /** In one statement, and one for what was not made. A statement may wait after its beginning: what it writes expires later by that. */
    @Override
    public List<Stored> replace(Connection connection, Replacements replacements) throws SQLException {
        Rows rows;
        try (PreparedStatement statement = connection.prepareStatement(replace)) {
            replacements.setArrays(statement, "VARCHAR", "BIGINT", "VARBINARY", waits.statementMicros());
            rows = Rows.of(statement);
        }
        List<String> others = replacements.notIn(rows);
        return replacements.stored(others.isEmpty() ? rows : rows.and(read(connection, others)));
    }
}
