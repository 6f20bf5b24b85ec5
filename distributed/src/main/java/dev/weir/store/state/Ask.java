package dev.weir.store.state;

import dev.weir.store.Reply;
import dev.weir.store.internal.CallStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A call for one key that waits for its decision: it waits to be sent until a replacement that counts it is on its way. */
final class Ask implements CallStage.Owner {
    /** A call whose caller has no time-out has so long. */
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Operation operation;
    private final long permits;
    private final long grantedAt;
    private final long since;
    private final AtomicInteger open;
    private final CallStage<Reply> stage = new CallStage<>(this);
    private volatile long withinNanos = LONGEST_NANOS;
    /* Of the chain that holds it. It is read by others after the state of the stage. */
    private int losses;

    /** {@code since}: the reading of the ticker; {@code open}: how many chains still hold, this one included. */
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

    CallStage<Reply> stage() {
        return stage;
    }

    @Override
    public void within(long nanos) {
        withinNanos = nanos;
    }

    @Override
    public Throwable unsent() {
        return losses == 0 ? CallStage.Owner.super.unsent() : new ContentionException(losses);
    }

    void decide(Reply decision) {
        open.decrementAndGet();
        stage.complete(decision);
    }

    void fail(Throwable why) {
        open.decrementAndGet();
        stage.completeExceptionally(why);
    }

    /** Leaves a call that was cancelled. */
    void drop() {
        open.decrementAndGet();
    }

    int losses() {
        return losses;
    }

    /** Counts one more replacement that was not made, so that nothing was counted. */
    void lose() {
        losses++;
        stage.waitAgain();
    }

    /** Whether another replacement, if it takes so long, would end too late for the caller. */
    boolean isOver(long now, long commandNanos) {
        return now - since + commandNanos >= withinNanos;
    }

    boolean isLate(long now) {
        return Turns.isLate(losses, now - since);
    }
}
