package dev.weir.jdbc;

import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;

/** Work for a session, and the stage of its answer. */
record DatabaseCall<T>(Work<T> work, CompletableFuture<T> answer) {
    private static final int ATTEMPTS = 5;

    /** Statements. They may be executed again if the database has undone them all. */
    interface Work<T> {
        T run(Session session) throws SQLException;
    }

    static <T> DatabaseCall<T> of(Work<T> work) {
        return new DatabaseCall<>(work, new CompletableFuture<>());
    }

    boolean isDone() {
        return answer.isDone();
    }

    void fail(Throwable failure) {
        answer.completeExceptionally(failure);
    }

    /** Completes the answer. Throws what the database answered last, of which the caller of the call knows then. */
    void run(Session session) throws SQLException {
        try {
            answer.complete(attempt(session));
        } catch (SQLException | RuntimeException | Error e) {
            fail(e);
            throw e;
        }
    }

    private T attempt(Session session) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try {
                return work.run(session);
            } catch (SQLException e) {
                if (attempt == ATTEMPTS || !isUndone(e)) {
                    throw e;
                }
            }
        }
    }

    /** State 40: rolled back for another transaction, such as in a deadlock. State 23: another one has inserted the row, which H2 tells so. */
    private static boolean isUndone(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return state.startsWith("40") || state.startsWith("23");
    }
}
