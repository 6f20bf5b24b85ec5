package dev.weir.store.state;

import dev.weir.store.Reply;
import java.util.concurrent.CompletableFuture;

/** A call for one key that waits for its decision. */
final class Ask {
    private final Operation operation;
    private final long permits;
    private final long grantedAt;
    private final long since;
    private final CompletableFuture<Reply> reply = new CompletableFuture<>();
    /* Of the chain that holds it. */
    private int losses;

    /** {@code since}: the reading of the ticker. */
    Ask(Operation operation, long permits, long grantedAt, long since) {
        this.operation = operation;
        this.permits = permits;
        this.grantedAt = grantedAt;
        this.since = since;
    }

    Operation operation() {
        return operation;
    }

    long permits() {
        return permits;
    }

    long grantedAt() {
        return grantedAt;
    }

    CompletableFuture<Reply> reply() {
        return reply;
    }

    int losses() {
        return losses;
    }

    /** Counts one more command that has not decided it. */
    void lose() {
        losses++;
    }

    /** Nanoseconds since it was made. */
    long age(long now) {
        return now - since;
    }
}
