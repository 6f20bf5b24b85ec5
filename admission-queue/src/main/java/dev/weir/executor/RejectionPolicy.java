package dev.weir.executor;

import dev.weir.Rejection;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A policy for tasks that the limit, the queue or the delegate of their executor refused. Called once for each, holding no lock:
 * by the submitter if the task is refused at once, and an exception is thrown to it; otherwise
 * {@linkplain RejectedTask#isLate() late}, by the thread that refuses it, and an exception is ignored and counted. A task for
 * which the policy does nothing is aborted.
 */
@FunctionalInterface
public interface RejectionPolicy {
    /** Decides by calling one of the methods of the task. */
    void rejected(RejectedTask task);

    /**
     * {@link RejectedTask#abort}: the submitter gets a {@code RejectedExecutionException}. A task without a future that can
     * fail later, such as that of {@code CompletableFuture.supplyAsync}, is refused at once or waits without a timeout. Where
     * the delegate runs it on the submitter's thread, that thread waits for at most {@code maxWait}.
     */
    static RejectionPolicy abort() {
        return RejectedTask.ABORT;
    }

    /** {@link RejectedTask#discard}: the future is cancelled, silently. */
    static RejectionPolicy discard() {
        return RejectedTask::discard;
    }

    /** {@link RejectedTask#replaceOldest}: the task that has waited longest is discarded instead. */
    static RejectionPolicy discardOldest() {
        return RejectedTask::replaceOldest;
    }

    /**
     * {@link RejectedTask#runHere}: the submitter waits for a permit and runs the task itself. A task without a future that
     * can fail later waits in the queue without a timeout, as with {@link #abort()}.
     */
    static RejectionPolicy callerRuns() {
        return RejectedTask.RUN_HERE;
    }

    /**
     * {@link RejectedTask#complete}: the future gets this value instead, which must be of its type or null. A task of {@code
     * execute} ends without running.
     */
    static RejectionPolicy fallback(@Nullable Object value) {
        return task -> task.complete(value);
    }

    /**
     * As {@link #fallback(Object)}, with the value that the action returns for the rejection. An exception of the action is
     * thrown to the submitter, or fails the future where the rejection is late.
     */
    static RejectionPolicy fallbackTo(Function<? super Rejection, ? extends @Nullable Object> action) {
        Objects.requireNonNull(action, "action");
        return task -> task.complete(action.apply(task.rejection()));
    }
}
