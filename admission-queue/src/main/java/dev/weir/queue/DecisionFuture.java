package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.internal.Undoable;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The future of a waiter that blocks no thread. Completed by its owner, it withdraws the request. */
final class DecisionFuture extends CompletableFuture<Decision> implements Completion {
    /*
     *     queue                              owner of the future
     *     ends the waiter with a permit      completes the future, any way
     *     completes the future: too late     ends the waiter: too late
     *     releases the permit
     *
     * Either the owner ends the waiter, and the queue has granted nothing; or the queue does, and the thread that completes
     * the future second learns it from the result.
     */
    private final Predicate<QueuedRequest> withdrawal;
    private volatile @Nullable QueuedRequest waiter;

    /** The withdrawal ends a waiter; false if it has ended before. */
    DecisionFuture(Predicate<QueuedRequest> withdrawal) {
        this.withdrawal = withdrawal;
    }

    void waiter(QueuedRequest owned) {
        waiter = owned;
    }

    @Override
    public void run() {
        deliver(Objects.requireNonNull(Objects.requireNonNull(waiter).decision()));
    }

    /** May be called twice with the same decision. */
    @Override
    public void deliver(Decision decision) {
        if (!super.complete(decision) && !holds(decision) && decision instanceof Permit permit) {
            Undoable.undo(permit);
        }
    }

    private boolean holds(Decision decision) {
        return !isCompletedExceptionally() && getNow(decision) == decision;
    }

    @Override
    public boolean abandon() {
        return cancel(false);
    }

    @Override
    public boolean isCountedByReceiver() {
        return false;
    }

    @Override
    public boolean complete(Decision value) {
        return withdrawIf(super.complete(value));
    }

    @Override
    public boolean completeExceptionally(Throwable thrown) {
        return withdrawIf(super.completeExceptionally(thrown));
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return withdrawIf(super.cancel(mayInterruptIfRunning));
    }

    private boolean withdrawIf(boolean completed) {
        QueuedRequest mine = waiter;
        boolean unused = completed && mine != null && withdrawal.test(mine);
        return completed;
    }
}
