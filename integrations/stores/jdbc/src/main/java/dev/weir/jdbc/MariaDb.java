package dev.weir.jdbc;

import dev.weir.store.state.Replacement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;

/** MariaDB 10.5 or newer. */
record MariaDb(String table, Waits waits) implements Dialect {
    /** Of the beginning of the statement: the same wherever it stands in it, and never after the clock. */
    private static final String BEGUN = "CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)";

    private static final String CLOCK = "CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)";

    /** Names are equal only if all their characters are. */
    private static final String CREATE = """
            CREATE TABLE IF NOT EXISTS @table (
              name varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PRIMARY KEY,
              version bigint NOT NULL,
              state mediumblob NOT NULL,
              expires bigint NOT NULL
            ) ENGINE = InnoDB""";

    /**
     * A row that is inserted although one is expected has expired at once: its time is negative. On the row that is there, assignments
     * are made from left to right: the version is the new one if the replacement is made, which those after it ask.
     */
    private static final String REPLACE = """
            INSERT INTO @table (name, version, state, expires) VALUES @rows
            ON DUPLICATE KEY UPDATE
              version = IF(VALUES(expires) <> 0 AND IF(expires > @begun, version, 0) = CASE name @expected END,
                VALUES(version), version),
              state = IF(version = VALUES(version), VALUES(state), state),
              expires = IF(version = VALUES(version), ABS(VALUES(expires)), expires)
            RETURNING @clock, name, version, state, expires""";

    private static final int DEADLOCK = 1213;

    private static final String ROW = "(?, ?, ?, IF(@begun >= ?, @begun + ?, 0) * ?)";

    @Override
    public String createTable() {
        return complete(CREATE);
    }

    private String complete(String sql) {
        return sql.replace("@begun", BEGUN).replace("@clock", CLOCK).replace("@table", table);
    }

    /** A time of day is ambiguous in most zones for an hour of the year. */
    @Override
    public List<String> begin() {
        return List.of("SET SESSION time_zone = '+00:00', innodb_lock_wait_timeout = "
                + (waits.lockMillis() + 999) / 1_000 + ", max_statement_time = " + waits.statementMillis() / 1_000.0);
    }

    @Override
    public List<String> end() {
        return List.of(
                "SET SESSION time_zone = DEFAULT, innodb_lock_wait_timeout = DEFAULT, max_statement_time = DEFAULT");
    }

    @Override
    public Rows read(Connection connection, List<String> names) throws SQLException {
        String sql =
                "SELECT @clock, t.name, t.version, t.state, t.expires FROM (SELECT 1) AS one LEFT JOIN @table AS t ON t.name IN ("
                        + String.join(", ", Collections.nCopies(names.size(), "?")) + ")";
        try (PreparedStatement statement = connection.prepareStatement(complete(sql))) {
            for (int i = 0; i < names.size(); i++) {
                statement.setString(i + 1, names.get(i));
            }
            return Rows.of(statement);
        }
    }

    /**
     * In the order of the names, so that no two of these statements wait for each other. One may wait after its beginning: what it writes
     * expires later by that.
     */
    @Override
    public Rows replace(Connection connection, Replacements replacements) throws SQLException {
        int size = replacements.versions().length;
        String sql = REPLACE.replace("@rows", String.join(", ", Collections.nCopies(size, ROW)))
                .replace("@expected", "WHEN ? THEN ? ".repeat(size));
        try (PreparedStatement statement = connection.prepareStatement(complete(sql))) {
            int next = 1;
            for (int i : replacements.inOrder()) {
                Replacement one = replacements.all().get(i);
                statement.setString(next++, one.name());
                statement.setLong(next++, replacements.versions()[i]);
                statement.setBytes(next++, one.state());
                statement.setLong(next++, one.atMicros());
                statement.setLong(next++, one.ttlMicros() + waits.statementMicros());
                statement.setLong(next++, one.version() == 0 ? 1 : -1);
            }
            for (Replacement one : replacements.all()) {
                statement.setString(next++, one.name());
                statement.setLong(next++, one.version());
            }
            return Rows.of(statement);
        }
    }

    @Override
    public List<String> unclear(Replacements replacements, Rows rows) {
        return List.of();
    }

    /** A deadlock, also one that a cluster finds at the commit. */
    @Override
    public boolean isUndone(SQLException failure) {
        return failure.getErrorCode() == DEADLOCK && "40001".equals(failure.getSQLState());
    }
}
