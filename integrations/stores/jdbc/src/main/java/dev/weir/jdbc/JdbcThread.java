package dev.weir.jdbc;

import java.sql.SQLException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A thread that makes calls in a session of its own, which it returns to the source after a while without any. It is never interrupted:
 * H2 would close its files.
 */
final class JdbcThread extends Thread {
    /** Wakes a thread that has to end. */
    static final Call<?> END = Call.of(session -> true);

    private static final long IDLE_SECONDS = 10;

    private final SessionSource sessions;
    private final BlockingQueue<Call<?>> queue;
    private final BooleanSupplier isClosed;
    private volatile @Nullable Session session;

    JdbcThread(SessionSource sessions, BlockingQueue<Call<?>> queue, BooleanSupplier isClosed) {
        this.sessions = sessions;
        this.queue = queue;
        this.isClosed = isClosed;
    }

    /** Work for a session, and the stage of its answer. */
    record Call<T>(Work<T> work, CompletableFuture<T> answer) {
        /** Statements in a session. */
        interface Work<T> {
            T run(Session session) throws SQLException;
        }

        static <T> Call<T> of(Work<T> work) {
            return new Call<>(work, new CompletableFuture<>());
        }

        void fail(Throwable failure) {
            answer.completeExceptionally(failure);
        }

        /** Completes the answer. Throws what the database answered last, of which the caller of the call knows then. */
        void run(Session session) throws SQLException {
            try {
                answer.complete(work.run(session));
            } catch (SQLException | RuntimeException | Error e) {
                fail(e);
                throw e;
            }
        }
    }

    @Override
    public void run() {
        while (!isClosed.getAsBoolean()) {
            try {
                Call<?> call = queue.poll(IDLE_SECONDS, TimeUnit.SECONDS);
                if (call == null) {
                    close();
                } else if (call != END && !call.answer().isDone()) {
                    make(call);
                }
            } catch (InterruptedException e) {
                // Of an action of a caller's stage. This thread ends when its store is closed.
            }
        }
        close();
    }

    private void make(Call<?> call) {
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
