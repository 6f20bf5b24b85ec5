package dev.weir.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** The sessions of a store. Thread-safe. */
final class SessionSource {
    /** Of an a with an accent: a capital letter, none, a space after it, and the accent as a char of its own. */
    private static final String SAME_NAMES = """
            SELECT 1 FROM (SELECT name FROM @table WHERE 1 = 0 UNION ALL SELECT '\u00e1') AS names
            WHERE name IN ('\u00c1', 'a', '\u00e1 ', 'a\u0301')""";

    private final DataSource source;
    private final String table;
    private final Waits waits;
    private final boolean createsTable;
    /* Raised when a connection is lost: those opened before are lost too, or lead to a server that another one has replaced. */
    private final AtomicInteger generation = new AtomicInteger();
    private volatile boolean isTableChecked;

    SessionSource(DataSource source, String table, Waits waits, boolean createsTable) {
        this.source = source;
        this.table = table;
        this.waits = waits;
        this.createsTable = createsTable;
    }

    String table() {
        return table;
    }

    Waits waits() {
        return waits;
    }

    /** Blocks for as long as the source does, then for some round trips. */
    Session open() throws SQLException {
        Session session = Session.open(source, table, waits, generation.get());
        if (!isTableChecked) {
            try {
                checkTable(session);
            } catch (SQLException | RuntimeException e) {
                session.abort();
                throw e;
            }
        }
        return session;
    }

    /** Where it is there already, no right to create one is needed. */
    private void checkTable(Session session) throws SQLException {
        if (createsTable && !isThere(session)) {
            try {
                session.execute(List.of(session.dialect().createTable()));
            } catch (SQLException e) {
                // Another instance may have created it at the same time.
                if (!isThere(session)) {
                    throw e;
                }
            }
        }
        if (!tellsNamesApart(session)) {
            throw new SQLException(
                    "the column name of " + table + " must tell names apart that differ in case, accents or"
                            + " trailing spaces: its type or its collation does not");
        }
        isTableChecked = true;
    }

    private boolean isThere(Session session) {
        try {
            tellsNamesApart(session);
            return true;
        } catch (SQLException e) {
            return false;
        }
    }

    /* No row is read: the literal takes the type and the collation of the column. */
    private boolean tellsNamesApart(Session session) throws SQLException {
        try (Statement statement = session.connection().createStatement();
                ResultSet same = statement.executeQuery(SAME_NAMES.replace("@table", table))) {
            return !same.next();
        }
    }

    /** True if the connections that were opened with this one are as they were. */
    boolean isGood(Session session) {
        return session.generation() == generation.get();
    }

    /** Called with what a statement of this session threw. */
    void failed(Session session, SQLException failure) {
        if (isLoss(failure)) {
            generation.compareAndSet(session.generation(), session.generation() + 1);
        }
        session.abort();
    }

    /** The classes of states: 08, the connection; 25, a server that can only be read; 57, an end by the operator. */
    private static boolean isLoss(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return failure instanceof SQLNonTransientConnectionException
                || failure instanceof SQLRecoverableException
                || state.startsWith("08")
                || state.startsWith("25")
                || state.startsWith("57P");
    }
}
