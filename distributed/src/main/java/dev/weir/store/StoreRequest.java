package dev.weir.store;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.internal.Undoable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A request that is decided later, and its future. */
final class StoreRequest {
    final Request asked;
    private Request request;
    final long deadline;
    final boolean waits;
    private final CompletableFuture<Decision> future = new CompletableFuture<>();
    private final @Nullable Executor executor;
    private final Consumer<? super Decision> counting;
    private @Nullable Thread maker = Thread.currentThread();

    /**
     * A request that has just been made by this thread.
     *
     * @param deadline the reading of the ticker until which it is tried again
     * @param waits whether it is tried again at all
     * @param executor completes the future; null = the thread that decides
     */
    StoreRequest(Request request, long deadline, boolean waits, @Nullable Executor executor) {
        this(request, deadline, waits, executor, decision -> {});
    }

    /** The same, whose decision is counted. */
    StoreRequest(
            Request request,
            long deadline,
            boolean waits,
            @Nullable Executor executor,
            Consumer<? super Decision> counting) {
        this.counting = counting;
        this.asked = request;
        this.request = request;
        this.deadline = deadline;
        this.waits = waits;
        this.executor = executor;
    }

    /** The request as it is counted. */
    Request request() {
        return request;
    }

    /** Sets how the next attempt counts it. */
    void counted(Request next) {
        request = next;
    }

    /** True after its owner has completed the future, or it was decided. */
    boolean isDone() {
        return future.isDone();
    }

    /** The future, for its owner. From now on no thread but the executor's completes it. */
    CompletableFuture<Decision> future() {
        maker = null;
        return future;
    }

    /** Decides; what is granted to an owner that has completed the future is refunded. */
    void complete(Decision decision) {
        counting.accept(decision);
        Executor other = executor;
        if (other == null || Thread.currentThread() == maker) {
            deliver(decision);
            return;
        }
        try {
            other.execute(() -> deliver(decision));
        } catch (Throwable t) {
            deliver(decision);
        }
    }

    /* May be called twice, if an executor runs the task and throws. */
    private void deliver(Decision decision) {
        if (!future.complete(decision) && !holds(decision) && decision instanceof Permit permit) {
            Undoable.undo(permit);
        }
    }

    private boolean holds(Decision decision) {
        return !future.isCompletedExceptionally() && future.getNow(decision) == decision;
    }
}
