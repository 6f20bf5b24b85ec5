package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.LimitExceededException;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A task that was refused, for a {@link RejectionPolicy} to decide about, once, while the policy is called; what it does
 * later, or again, or after the task was cancelled, does nothing. Not thread-safe.
 */
public final class RejectedTask {
    static final RejectionPolicy ABORT = RejectedTask::abort;
    static final RejectionPolicy RUN_HERE = RejectedTask::runHere;
    private static final int TRIES = 8;

    private final Dispatch dispatch;
    private final Task<?> task;
    private final @Nullable Throwable cause;
    private final boolean late;
    private Rejection rejection;
    private boolean byQueue;
    private @Nullable Answer place;
    private boolean settled;
    private @Nullable RejectedExecutionException refusal;

    RejectedTask(Dispatch dispatch, Task<?> task, Rejection rejection, @Nullable Throwable cause, boolean late) {
        this.dispatch = dispatch;
        this.task = task;
        this.rejection = rejection;
        this.cause = cause;
        this.late = late;
    }

    /** Why, and when to ask again. A delegate that refuses counts as a full line, one that is shut down as cancelled. */
    public Rejection rejection() {
        return rejection;
    }

    /** Whether the submitter has gone on: the task stood in line, where it timed out, was shed or sent away. */
    public boolean isLate() {
        return late;
    }

    /** What was submitted: the runnable of {@code execute}, the future of the others. */
    public Runnable task() {
        return task.given();
    }

    /** It was the queue that refused it, in this place if it had one: counted once that is final. */
    RejectedTask byQueue(@Nullable Answer itsPlace) {
        byQueue = true;
        place = itsPlace;
        return this;
    }

    void decide(RejectionPolicy policy) {
        try {
            policy.rejected(this);
        } catch (Throwable t) {
            boolean theTasksOwn = settled;
            failed(t);
            if (!late) {
                throw t;
            }
            if (!theTasksOwn) {
                dispatch.roll().failed();
            }
            return;
        }
        if (!settled) {
            abort();
        }
        if (refusal != null && !late) {
            throw refusal;
        }
        if (refusal != null && !task.hasFuture()) {
            dispatch.report(refusal);
        }
    }

    private void failed(Throwable t) {
        if (settles()) {
            task.refuse(t);
            left();
        }
    }

    private boolean settles() {
        boolean first = !settled;
        settled = true;
        if (first && byQueue) {
            dispatch.isRefused(rejection, place);
        }
        return first && task.takeBack();
    }

    private void left() {
        dispatch.roll().leave(task, Roll.Ending.REJECTED);
    }

    /**
     * Fails the future with a {@code RejectedExecutionException} whose cause carries the rejection. Unless it is late, the
     * submitter is thrown the same; late, and without a future, it goes to the current thread's uncaught exception handler.
     */
    public void abort() {
        if (settles()) {
            refusal = new RejectedExecutionException(rejection.toString(), new LimitExceededException(rejection));
            if (cause != null) {
                refusal.addSuppressed(cause);
            }
            task.refuse(refusal);
            left();
        }
    }

    /** Cancels the future. */
    public void discard() {
        if (settles()) {
            task.discard();
            left();
        }
    }

    /** Completes the future with a value of its type, or null. */
    public void answer(@Nullable Object value) {
        if (settles()) {
            task.answer(value);
            left();
        }
    }

    /**
     * Runs the task on this thread, under a permit as any other: the one it has, if it was the delegate that refused;
     * else one it blocks for, in line or before it, at most as long as a task may wait. A submitter that holds the last
     * permit himself would wait in vain: where tasks submit tasks, bound the wait. Late, interrupted, refused again or
     * after shutdown, it aborts.
     */
    public void runHere() {
        if (settled) {
            return;
        }
        if (late || dispatch.roll().isShut() || !(task.is(Task.GRANTED) || admitted())) {
            abort();
            return;
        }
        settled = true;
        task.runHere();
    }

    private boolean admitted() {
        try {
            Insistence insistence = dispatch.insistence();
            Decision decision = insistence.acquire();
            if (decision instanceof Rejection refused) {
                rejection = refused;
                byQueue(insistence.place());
                return false;
            }
            dispatch.granted(task, (Permit) decision);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * If the line is full, discards the task of the same executor that has waited longest in it, and asks again; else, or
     * if none of them waits, discards this one.
     */
    public void replaceOldest() {
        boolean lineFull = !late && cause == null && rejection.reason() == Reason.QUEUE_FULL;
        for (int i = 0; i < TRIES && !settled && lineFull; i++) {
            Task<?> oldest = dispatch.oldest();
            if (oldest == null) {
                break;
            }
            if (oldest.takeBack()) {
                oldest.discard();
                dispatch.roll().leave(oldest, Roll.Ending.REJECTED);
            }
            Rejection again = dispatch.admit(task);
            if (again == null) {
                settled = true;
                return;
            }
            rejection = again;
            lineFull = again.reason() == Reason.QUEUE_FULL;
        }
        discard();
    }
}
