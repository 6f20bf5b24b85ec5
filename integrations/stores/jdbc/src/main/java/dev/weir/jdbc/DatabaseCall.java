package dev.weir.jdbc;

import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;

/** Work for a session, and the stage of its answer. */
record DatabaseCall<T>(Work<T> work, CompletableFuture<T> answer) {
    /** Statements in a session. */
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
            answer.complete(work.run(session));
        } catch (SQLException | RuntimeException | Error e) {
            fail(e);
            throw e;
        }
    }
}
