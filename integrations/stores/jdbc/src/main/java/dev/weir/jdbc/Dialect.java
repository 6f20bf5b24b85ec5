package dev.weir.jdbc;

import dev.weir.store.state.Stored;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;

/** The statements of one kind of database on one table. Each statement commits by itself. */
sealed interface Dialect permits Postgres, MariaDb, H2 {
    /**
     * The dialect of this database.
     *
     * @throws SQLFeatureNotSupportedException if there is none
     */
    static Dialect of(Connection connection, String table) throws SQLException {
        DatabaseMetaData database = connection.getMetaData();
        String name = database.getDatabaseProductName() + " " + database.getDatabaseProductVersion();
        if (name.startsWith("PostgreSQL")) {
            return Postgres.of(table);
        } else if (name.contains("MariaDB")) {
            return MariaDb.of(table);
        } else if (name.startsWith("H2")) {
            return H2.of(table);
        }
        throw new SQLFeatureNotSupportedException("database must be PostgreSQL, MariaDB or H2, was " + name);
    }

    /** The statement that creates the table if it is not there. */
    String createTable();

    /** The statements before the first one of a session. */
    List<String> begin(Waits waits);

    /** The statements that undo {@link #begin}. */
    List<String> end();

    /** One round trip. */
    Rows read(Connection connection, List<String> names) throws SQLException;

    /** One round trip, or two if others have replaced some of them meanwhile. */
    List<Stored> replace(Connection connection, Replacements replacements) throws SQLException;
}
