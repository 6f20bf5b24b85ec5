package dev.weir.executor;

import dev.weir.Decision;
import dev.weir.LimitExceededException;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.queue.CallbackQueue;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A refused task. A {@link RejectionPolicy} decides about it by one call of {@link #abort}, {@link #discard}, {@link
 * #complete}, {@link #runHere} or {@link #replaceOldest}, while the policy is called. A second call, a later one, and one
 * after the task was cancelled do nothing. Not thread-safe.
 */
public final class RejectedTask {
    static final RejectionPolicy ABORT = RejectedTask::abort;
    static final RejectionPolicy RUN_HERE = RejectedTask::runHere;
    private static final int MAX_TRIES = 8;

    private final TaskDispatcher dispatcher;
    private final Task<?> task;
    private final @Nullable Throwable cause;
    private final boolean late;
    private Rejection rejection;
    private boolean byQueue;
    private CallbackQueue.@Nullable Place place;
    private boolean settled;
    private @Nullable RejectedExecutionException exception;

    RejectedTask(
            TaskDispatcher dispatcher, Task<?> task, Rejection rejection, @Nullable Throwable cause, boolean late) {
        this.dispatcher = dispatcher;
        this.task = task;
        this.rejection = rejection;
        this.cause = cause;
        this.late = late;
    }

    /**
     * The reason, and when to try again. The reason is {@code QUEUE_FULL} where the delegate refused, and {@code CANCELLED}
     * where it is shut down.
     */
    public Rejection rejection() {
        return rejection;
    }

    /** True if the submitter has gone on: the task timed out in the queue, was shed, or the queue was closed. */
    public boolean isLate() {
        return late;
    }

    /** The submitted task: the runnable of {@code execute}, or the future that the submitter has. */
    public Runnable task() {
        return task.submitted();
    }

    /** The queue refused it, in this place if it had one: counted once that is final. */
    RejectedTask byQueue(CallbackQueue.@Nullable Place itsPlace) {
        byQueue = true;
        place = itsPlace;
        return this;
    }

    void decide(RejectionPolicy policy) {
        try {
            policy.rejected(this);
        } catch (Throwable t) {
            boolean thrownByTask = settled;
            settle(() -> task.fail(t));
            if (!late) {
                throw t;
            }
            if (!thrownByTask) {
                dispatcher.registry.countFailure();
            }
            return;
        }
        if (!settled) {
            abort();
        }
        if (exception != null && !late) {
            throw exception;
        }
        if (exception != null && !task.hasFuture()) {
            dispatcher.report(exception);
        }
    }

    private void settle(Runnable completion) {
        boolean first = !settled;
        settled = true;
        if (first && byQueue) {
            dispatcher.countRejection(rejection, place);
        }
        if (first && task.withdraw()) {
            completion.run();
            dispatcher.registry.leave(task, TaskCounts.End.REJECTED);
        }
    }

    /**
     * Fails the future with a {@code RejectedExecutionException} whose cause is a {@link LimitExceededException}. The
     * submitter gets the same exception thrown, unless it is {@linkplain #isLate late}; late and without a future, the
     * current thread's uncaught exception handler gets it.
     */
    public void abort() {
        settle(() -> {
            exception = new RejectedExecutionException(rejection.toString(), new LimitExceededException(rejection));
            if (cause != null) {
                exception.addSuppressed(cause);
            }
            task.fail(exception);
        });
    }

    /** Cancels the future. */
    public void discard() {
        settle(task::discard);
    }

    /** Completes the future with this value, which must be of its type or null. */
    public void complete(@Nullable Object value) {
        settle(() -> task.complete(value));
    }

    /**
     * Runs the task on this thread, under a permit. If the delegate refused, the task has its permit. Otherwise this thread
     * blocks for one, also while the queue is full, for at most as long as a task may wait. A submitter that holds the last
     * permit itself waits in vain: if tasks submit tasks, set a timeout. Aborts the task if this call is late, the thread is
     * interrupted, the task has timed out or is refused again, or the executor is shut down.
     */
    public void runHere() {
        if (settled) {
            return;
        }
        boolean over = late || rejection.reason() == Reason.TIMED_OUT || dispatcher.registry.isShut();
        if (over || !(task.is(Task.GRANTED) || acquired())) {
            abort();
            return;
        }
        settled = true;
        task.runHere();
    }

    private boolean acquired() {
        try {
            BlockingAcquire acquire = dispatcher.blockingAcquire();
            Decision decision = acquire.acquire();
            if (decision instanceof Rejection refused) {
                rejection = refused;
                byQueue(acquire.place);
                return false;
            }
            dispatcher.granted(task, (Permit) decision);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * If the queue is full, discards the task of the same executor that has waited longest, and tries again. Otherwise, or if
     * no task of this executor waits, discards this one.
     */
    public void replaceOldest() {
        boolean queueFull = !late && cause == null && rejection.reason() == Reason.QUEUE_FULL;
        for (int i = 0; i < MAX_TRIES && !settled && queueFull; i++) {
            Task<?> oldest = dispatcher.oldest();
            if (oldest == null) {
                break;
            }
            if (oldest.withdraw()) {
                oldest.discard();
                dispatcher.registry.leave(oldest, TaskCounts.End.REJECTED);
            }
            Rejection again = dispatcher.admit(task);
            if (again == null) {
                settled = true;
                return;
            }
            rejection = again;
            queueFull = again.reason() == Reason.QUEUE_FULL;
        }
        discard();
    }
}
