package dev.weir.jdbc;

import dev.weir.store.state.Stored;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;

/** A connection with the settings that the statements of its dialect need. Used by one thread. */
final class Session {
    private static final int ATTEMPTS = 5;

    private final Connection connection;
    private final Dialect dialect;
    private final boolean isAutoCommit;
    private final int isolation;
    private final int networkMillis;
    private final int generation;

    private Session(Connection connection, String table, Waits waits, int generation) throws SQLException {
        this.connection = connection;
        this.generation = generation;
        dialect = dialect(connection, table, waits);
        isAutoCommit = connection.getAutoCommit();
        isolation = connection.getTransactionIsolation();
        networkMillis = networkMillis(connection);
    }

    /**
     * The dialect of this database.
     *
     * @throws SQLFeatureNotSupportedException if there is none
     */
    private static Dialect dialect(Connection connection, String table, Waits waits) throws SQLException {
        DatabaseMetaData database = connection.getMetaData();
        String name = database.getDatabaseProductName() + " " + database.getDatabaseProductVersion();
        if (name.startsWith("PostgreSQL")) {
            return Postgres.of(table, waits);
        } else if (name.contains("MariaDB")) {
            return new MariaDb(table, waits);
        } else if (name.startsWith("H2")) {
            return H2.of(table, waits);
        }
        throw new SQLFeatureNotSupportedException("database must be PostgreSQL, MariaDB or H2, was " + name);
    }

    /** Blocks for as long as the source does, then for a round trip or two. */
    static Session open(DataSource source, String table, Waits waits, int generation) throws SQLException {
        Connection connection = source.getConnection();
        try {
            Session session = new Session(connection, table, waits, generation);
            session.begin(waits);
            return session;
        } catch (SQLException | RuntimeException e) {
            abort(connection);
            throw e;
        }
    }

    private void begin(Waits waits) throws SQLException {
        setNetworkMillis(waits.networkMillis());
        connection.setAutoCommit(true);
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        execute(dialect.begin());
    }

    Connection connection() {
        return connection;
    }

    int generation() {
        return generation;
    }

    Dialect dialect() {
        return dialect;
    }

    Rows read(List<String> names) throws SQLException {
        return repeated(() -> dialect.read(connection, names));
    }

    /** One round trip, or two if the first does not tell of all what is there. */
    List<Stored> replace(Replacements replacements) throws SQLException {
        Rows rows = repeated(() -> dialect.replace(connection, replacements));
        List<String> unclear = dialect.unclear(replacements, rows);
        return replacements.stored(unclear.isEmpty() ? rows : rows.and(read(unclear)));
    }

    private interface Query {
        Rows rows() throws SQLException;
    }

    private Rows repeated(Query query) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try {
                return query.rows();
            } catch (SQLException e) {
                if (attempt == ATTEMPTS || !dialect.isUndone(e)) {
                    throw e;
                }
            }
        }
    }

    void execute(List<String> statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Restores the settings and closes the connection: a pool may give it to others. */
    void close() {
        try {
            execute(dialect.end());
            connection.setTransactionIsolation(isolation);
            connection.setAutoCommit(isAutoCommit);
            setNetworkMillis(networkMillis);
            connection.close();
        } catch (SQLException | RuntimeException e) {
            abort();
        }
    }

    /** Ends the connection. What it does now, and on what it waits, ends with an exception. */
    void abort() {
        abort(connection);
    }

    private static void abort(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException e) {
            // It has ended, or its driver cannot abort it: then closing it is all that is left.
        }
        try {
            connection.close();
        } catch (SQLException | RuntimeException e) {
            // It has ended.
        }
    }

    /** Some drivers do not bound how long they wait. */
    private static int networkMillis(Connection connection) throws SQLException {
        try {
            return connection.getNetworkTimeout();
        } catch (SQLFeatureNotSupportedException e) {
            return 0;
        }
    }

    private void setNetworkMillis(int millis) throws SQLException {
        try {
            connection.setNetworkTimeout(Runnable::run, millis);
        } catch (SQLFeatureNotSupportedException e) {
            // Its server ends each statement in time.
        }
    }
}
