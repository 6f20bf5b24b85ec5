package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.internal.Undoable;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The future of a waiter that blocks no thread. Completed by its owner, it withdraws the request. */
final class DecisionFuture extends CompletableFuture<Decision> implements Completion {
    /*
     *     queue                              owner of the future
     *     ends the waiter with a permit
     *                                        ends the waiter: too late
     *                                        completes the future, any way
     *     completes the future: too late
     *     releases the permit
     *
     * Either the owner ends the waiter, and the queue has granted nothing; or the queue does, and the thread that completes
     * the future second learns it from the result. The owner ends the waiter before the future completes, so that stages find
     * it out of the queue, and one that blocks does not keep it there.
     *
     * `orTimeout` and `completeOnTimeout` of the JDK call `completeExceptionally` and `complete`; `completeAsync` and the two
     * that obtrude set the result by themselves. Stages and copies are plain futures, which know of no waiter.
     */
    private final Predicate<QueuedRequest> withdrawal;
    /* Plain: written before the waiter enters its list, whose monitor publishes it, and before the future has an owner. */
    private @Nullable QueuedRequest waiter;

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
        boolean holds = super.complete(decision) || (!isCompletedExceptionally() && getNow(decision) == decision);
        if (!holds && decision instanceof Permit permit) {
            Undoable.undo(permit);
        }
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
        withdraw();
        return super.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable thrown) {
        Objects.requireNonNull(thrown, "thrown");
        withdraw();
        return super.completeExceptionally(thrown);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        withdraw();
        return super.cancel(mayInterruptIfRunning);
    }

    @Override
    public CompletableFuture<Decision> completeAsync(Supplier<? extends Decision> supplier, Executor executor) {
        Objects.requireNonNull(supplier, "supplier");
        return super.completeAsync(
                () -> {
                    try {
                        return supplier.get();
                    } finally {
                        withdraw();
                    }
                },
                executor);
    }

    @Override
    public void obtrudeValue(Decision value) {
        withdraw();
        super.obtrudeValue(value);
    }

    @Override
    public void obtrudeException(Throwable thrown) {
        Objects.requireNonNull(thrown, "thrown");
        withdraw();
        super.obtrudeException(thrown);
    }

    private void withdraw() {
        QueuedRequest mine = waiter;
        boolean unused = mine != null && withdrawal.test(mine);
    }
}
