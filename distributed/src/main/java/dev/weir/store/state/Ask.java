package dev.weir.store.state;

import dev.weir.store.Reply;
import java.util.concurrent.CompletableFuture;

/** A call for one key that waits for its decision. */
final class Ask {
    private final Operation operation;
    private final long permits;
    private final long grantedAt;
    private final CompletableFuture<Reply> reply = new CompletableFuture<>();
    /* Of the chain that holds it. */
    private int losses;

    Ask(Operation operation, long permits, long grantedAt) {
        this.operation = operation;
        this.permits = permits;
        this.grantedAt = grantedAt;
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

    /** Counts one more command that has not decided it, and returns how many there were. */
    int lose() {
        return ++losses;
    }
}
