package dev.weir.queue;

import dev.weir.Rejection;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a task that its executor's limit, line or delegate refused. Called once a task, holding no lock: by
 * the submitter, who may be thrown at, if it was refused at once; else {@linkplain RejectedTask#isLate() late}, by
 * whoever found it, and what it throws is swallowed and counted. A task it does nothing about is aborted.
 */
@FunctionalInterface
public interface RejectionPolicy {
    /** Decides by calling one of the task's methods. */
    void rejected(RejectedTask task);

    /**
     * {@link RejectedTask#abort}: the submitter gets a {@code RejectedExecutionException}. A task without a future that could
     * say so later, as {@code CompletableFuture.supplyAsync} gives to {@code execute}, is refused at once or waits without a
     * time-out.
     */
    static RejectionPolicy abort() {
        return RejectedTask.ABORT;
    }

    /** {@link RejectedTask#discard}: the future is cancelled, and nobody is told. */
    static RejectionPolicy discard() {
        return RejectedTask::discard;
    }

    /** {@link RejectedTask#replaceOldest}: whoever has waited longest is discarded in its stead. */
    static RejectionPolicy discardOldest() {
        return RejectedTask::replaceOldest;
    }

    /**
     * {@link RejectedTask#runHere}: the submitter waits for a permit, and runs it itself. A task that waits in the queue and
     * has no future waits without a time-out, as with {@link #abort()}.
     */
    static RejectionPolicy callerRuns() {
        return RejectedTask.RUN_HERE;
    }

    /**
     * {@link RejectedTask#answer}: the future gets this value instead; of the type it promises, or null. A bare {@code
     * execute} just ends.
     */
    static RejectionPolicy fallback(@Nullable Object value) {
        return task -> task.answer(value);
    }

    /**
     * As {@link #fallback(Object)}, with what the action makes of the refusal. What it throws is thrown to the submitter, or
     * fails the future where the refusal comes late.
     */
    static RejectionPolicy fallbackTo(Function<? super Rejection, ? extends @Nullable Object> action) {
        Objects.requireNonNull(action, "action");
        return task -> task.answer(action.apply(task.rejection()));
    }
}
