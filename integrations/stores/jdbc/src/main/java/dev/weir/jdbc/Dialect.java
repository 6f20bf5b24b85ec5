package dev.weir.jdbc;

import dev.weir.store.state.Stored;
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

    /** One round trip, or two if others have replaced some of them meanwhile. */
    List<Stored> replace(Connection connection, Replacements replacements) throws SQLException;
}
