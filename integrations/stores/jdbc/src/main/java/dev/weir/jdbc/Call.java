package dev.weir.jdbc;

import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;

/** Work for a session, and the stage of its answer. */
record Call<T>(Work<T> work, CompletableFuture<T> answer) {
    private static final int ATTEMPTS = 3;

    /** Statements. They may be executed again if the database has undone them all. */
    interface Work<T> {
        T run(Session session) throws SQLException;
    }

    static <T> Call<T> of(Work<T> work) {
        return new Call<>(work, new CompletableFuture<>());
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

    /** State 40: a transaction that the database has rolled back for another one, such as in a deadlock. */
    private static boolean isUndone(SQLException failure) {
        return String.valueOf(failure.getSQLState()).startsWith("40");
    }
}
