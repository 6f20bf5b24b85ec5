package dev.weir.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;

/** The choice of a {@link Dialect}. */
final class Dialects {
    private Dialects() {}

    /**
     * The dialect of this database.
     *
     * @throws SQLFeatureNotSupportedException if there is none
     */
    static Dialect of(Connection connection, String table, Waits waits) throws SQLException {
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
}
