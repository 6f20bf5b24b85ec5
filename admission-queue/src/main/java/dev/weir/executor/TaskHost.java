package dev.weir.executor;

import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.queue.CallbackQueue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The dispatcher of an executor, as its tasks and their claims see it. */
interface TaskHost {
    boolean runsOn(Executor delegate);

    /** True while a worker of the delegate runs a task of this executor. */
    boolean isBusy();

    /** True once no task may begin any more. */
    boolean isStopped();

    /** A worker has started the task. */
    void begin(Task<?> task);

    /** A worker runs the task after another one. */
    void beginPostponed(Task<?> task);

    /** A worker has ended a task. */
    void runPostponed();

    void ended(Task<?> task, TaskCounts.End end);

    /** Withdraws a task that has not begun, with what it holds; false if it runs or is over. The caller completes its future. */
    boolean withdraw(Task<?> task);

    void discarded(Task<?> task);

    void granted(TaskClaim claim, Permit permit);

    void refused(TaskClaim claim, Rejection rejection);

    /** A rejection by the queue is final. */
    void countRejection(Rejection rejection, CallbackQueue.@Nullable Place place);
}
