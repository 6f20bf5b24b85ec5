package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a waiter that blocks no thread is answered through. Ended by its owner, it takes the request back. */
final class Answer extends CompletableFuture<Decision> implements Runnable {
    /*
     *     queue                              owner of the future
     *     ends the waiter with a permit      completes the future, any way
     *     completes the future: too late     ends the waiter: too late
     *     returns the permit
     *
     * Either the owner's word ends the waiter, and the queue has granted nothing; or the queue's word does, and whoever
     * completes the future second finds out by the result.
     */
    private final AdmissionQueue queue;
    final @Nullable Consumer<Decision> receiver;
    private volatile @Nullable Waiter waiter;

    Answer(AdmissionQueue queue) {
        this(queue, null);
    }

    /** One whose receiver is not the future's owner; a permit is given to it by whoever has it, there and then. */
    Answer(AdmissionQueue queue, @Nullable Consumer<Decision> receiver) {
        this.queue = queue;
        this.receiver = receiver;
    }

    void of(Waiter owned) {
        waiter = owned;
    }

    /** Null if it was answered without waiting. */
    @Nullable
    Waiter waiter() {
        return waiter;
    }

    /** Gives what the waiter ended with. */
    @Override
    public void run() {
        give(Objects.requireNonNull(Objects.requireNonNull(waiter).ending()));
    }

    /** Gives the answer, if need be twice; a permit nobody wants any more goes home. */
    void give(Decision decision) {
        if (receiver != null) {
            receiver.accept(decision);
        } else if (!super.complete(decision) && !holds(decision) && decision instanceof Permit permit) {
            permit.release(Outcome.CANCELLED);
        }
    }

    private boolean holds(Decision decision) {
        return !isCompletedExceptionally() && getNow(decision) == decision;
    }

    @Override
    public boolean complete(Decision value) {
        return withdrawnIf(super.complete(value));
    }

    @Override
    public boolean completeExceptionally(Throwable thrown) {
        return withdrawnIf(super.completeExceptionally(thrown));
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        withdrawnIf(cancelled);
        return cancelled;
    }

    private boolean withdrawnIf(boolean ended) {
        boolean unused = ended && withdraw();
        return ended;
    }

    /** Ends the waiter; false if somebody has. */
    boolean withdraw() {
        Waiter mine = waiter;
        return mine != null && queue.withdraw(mine);
    }
}
