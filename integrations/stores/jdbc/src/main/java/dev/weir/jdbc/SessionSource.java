package dev.weir.jdbc;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** The sessions of a store. Thread-safe. */
final class SessionSource {
    private final DataSource source;
    private final String table;
    private final Waits waits;
    /* Raised when a connection is lost: those opened before are lost too, or lead to a server that another one has replaced. */
    private final AtomicInteger generation = new AtomicInteger();
    private volatile boolean isTableMissing;

    SessionSource(DataSource source, String table, Waits waits, boolean createsTable) {
        this.source = source;
        this.table = table;
        this.waits = waits;
        isTableMissing = createsTable;
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
        if (isTableMissing) {
            try {
                createTable(session);
            } catch (SQLException | RuntimeException e) {
                session.abort();
                throw e;
            }
        }
        return session;
    }

    /** Where it is there already, no right to create one is needed. */
    private void createTable(Session session) throws SQLException {
        if (!isThere(session)) {
            try {
                session.execute(List.of(session.dialect().createTable()));
            } catch (SQLException e) {
                // Another instance may have created it at the same time.
                if (!isThere(session)) {
                    throw e;
                }
            }
        }
        isTableMissing = false;
    }

    private boolean isThere(Session session) {
        try {
            session.execute(List.of("SELECT name FROM " + table + " WHERE version < 0"));
            return true;
        } catch (SQLException e) {
            return false;
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
