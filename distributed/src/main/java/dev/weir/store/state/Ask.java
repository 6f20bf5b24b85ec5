package dev.weir.store.state;

import dev.weir.store.Reply;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** A call for one key that waits for its decision. */
final class Ask {
    private final Operation operation;
    private final long permits;
    private final long grantedAt;
    private final long since;
    private final AtomicInteger open;
    private final CompletableFuture<Reply> reply = new CompletableFuture<>();
    /* Of the chain that holds it. */
    private int losses;

    /** {@code since}: the reading of the ticker; {@code open}: how many are not decided, this one included. */
    Ask(Operation operation, long permits, long grantedAt, long since, AtomicInteger open) {
        this.operation = operation;
        this.permits = permits;
        this.grantedAt = grantedAt;
        this.since = since;
        this.open = open;
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

    CompletionStage<Reply> reply() {
        return reply;
    }

    void decide(Reply decision) {
        open.decrementAndGet();
        reply.complete(decision);
    }

    void fail(Throwable why) {
        open.decrementAndGet();
        reply.completeExceptionally(why);
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
