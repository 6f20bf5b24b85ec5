package dev.weir.store.state;

import dev.weir.store.internal.CallStage;
import java.util.concurrent.atomic.AtomicInteger;

/** A call for one value that waits for its decision: it waits to be sent until a replacement that counts it is on its way. */
final class Ask<C, R> implements CallStage.Owner {
    final C call;
    final long since;
    private final AtomicInteger open;
    final CallStage<R> stage = new CallStage<>(this);
    private volatile long withinNanos;
    /* Of the chain that holds it. It is read by others after the state of the stage. */
    private int losses;

    /** {@code since}: the reading of the ticker; {@code open}: how many calls are not decided, this one included. */
    Ask(C call, long since, long withinNanos, AtomicInteger open) {
        this.call = call;
        this.since = since;
        this.withinNanos = withinNanos;
        this.open = open;
    }

    @Override
    public void within(long nanos) {
        withinNanos = nanos;
    }

    @Override
    public Throwable unsent() {
        return losses == 0 ? CallStage.Owner.super.unsent() : new ContentionException(losses);
    }

    void decide(R decision) {
        open.decrementAndGet();
        stage.complete(decision);
    }

    void fail(Throwable why) {
        open.decrementAndGet();
        stage.completeExceptionally(why);
    }

    /** Takes it in order to send it; false if it was cancelled. */
    boolean begin() {
        boolean begins = stage.begin();
        if (!begins) {
            open.decrementAndGet();
        }
        return begins;
    }

    int losses() {
        return losses;
    }

    /** Counts one more replacement that was not made, so that nothing was counted. */
    void lose() {
        losses++;
        stage.waitAgain();
    }

    /** True if another replacement that takes so long would end too late for the caller. */
    boolean isOver(long now, long commandNanos) {
        return now - since + commandNanos >= withinNanos;
    }

    boolean isLate(long now) {
        return losses > 0 && now - since > Turns.LATE_NANOS;
    }
}
