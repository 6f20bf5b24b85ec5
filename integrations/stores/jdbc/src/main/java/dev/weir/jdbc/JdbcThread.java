package dev.weir.jdbc;

import java.sql.SQLException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A thread that makes calls in a session of its own, which it returns to the source after a while without any. It is never interrupted: H2 would close its files. */
final class JdbcThread extends Thread {
    /** Wakes a thread that has to end. */
    static final DatabaseCall<?> END = DatabaseCall.of(session -> true);

    private static final long IDLE_SECONDS = 10;

    private final SessionSource sessions;
    private final BlockingQueue<DatabaseCall<?>> queue;
    private final BooleanSupplier isClosed;
    private volatile @Nullable Session session;

    JdbcThread(SessionSource sessions, BlockingQueue<DatabaseCall<?>> queue, BooleanSupplier isClosed) {
        this.sessions = sessions;
        this.queue = queue;
        this.isClosed = isClosed;
    }

    @Override
    public void run() {
        while (!isClosed.getAsBoolean()) {
            try {
                DatabaseCall<?> call = queue.poll(IDLE_SECONDS, TimeUnit.SECONDS);
                if (call == null) {
                    close();
                } else if (call != END && !call.isDone()) {
                    make(call);
                }
            } catch (InterruptedException e) {
                // Of an action of a caller's stage. This thread ends when its store is closed.
            }
        }
        close();
    }

    private void make(DatabaseCall<?> call) {
        Session open;
        try {
            open = session();
        } catch (SQLException | RuntimeException | Error e) {
            call.fail(e);
            return;
        }
        try {
            call.run(open);
        } catch (SQLException e) {
            session = null;
            sessions.failed(open, e);
        } catch (RuntimeException | Error e) {
            session = null;
            open.abort();
        }
    }

    private Session session() throws SQLException {
        Session open = session;
        if (open != null && sessions.isGood(open)) {
            return open;
        }
        close();
        open = sessions.open();
        session = open;
        return open;
    }

    private void close() {
        Session open = session;
        session = null;
        if (open != null) {
            open.close();
        }
    }

    /** Waits for its end. Called by another thread. */
    void end(int millis) {
        if (Thread.currentThread() == this) {
            return; // It ends after the action that closes the store.
        }
        boolean isInterrupted = false;
        try {
            join(millis);
        } catch (InterruptedException e) {
            isInterrupted = true;
        }
        Session open = session;
        if (isAlive() && open != null) {
            open.abort();
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
