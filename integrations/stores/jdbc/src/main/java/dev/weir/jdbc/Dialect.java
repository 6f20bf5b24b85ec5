package dev.weir.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** The statements of one kind of database on one table. Each statement commits by itself. */
interface Dialect {
    /** The statement that creates the table if it is not there. */
    String createTable();

    /** The statements before the first one of a session. */
    List<String> begin();

    /** The statements that undo {@link #begin}. */
    List<String> end();

    /** One round trip. */
    Rows read(Connection connection, List<String> names) throws SQLException;

    /**
     * One statement, made as a whole or not at all. The rows tell of those that were made; also of those that the same replacements made
     * before.
     */
    Rows replace(Connection connection, Replacements replacements) throws SQLException;

    /** The names that have to be read, because these rows do not tell what is there. */
    List<String> unclear(Replacements replacements, Rows rows);

    /** True if the statement that failed so has certainly changed nothing, and would be made if it was executed again. */
    boolean isUndone(SQLException failure);
}
