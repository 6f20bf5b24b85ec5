package dev.weir.executor;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The tasks that have not ended, how the others ended, and whether more may be submitted. */
final class TaskRegistry {
    /*
     * It is terminated once it is shut and as many tasks have left as have entered.
     *
     *     thread that enters                thread that shuts, or leaves last
     *     entered + 1                       shut := true, left + 1
     *     reads shut: true: is refused      reads left, then entered: equal: terminated
     *
     * Counters only grow, and those who left are read first: if the numbers are equal, all that had entered by then had left, and a task
     * that enters later finds it shut.
     */
    private final TaskSet tasks = new TaskSet();
    private final TaskCounts counts = new TaskCounts();
    /* Of other executors, too. */
    private final @Nullable TaskCounts together;
    private final CountDownLatch terminated = new CountDownLatch(1);
    private final Runnable onTermination;
    /* A task enters before it reads this. */
    private volatile boolean shut;
    private volatile boolean stopped;

    /** The action is called once or more often. */
    TaskRegistry(Runnable onTermination, @Nullable TaskCounts together) {
        this.together = together;
        this.onTermination = onTermination;
    }

    /** Each task enters once and leaves once. False if it is shut; the task has to leave all the same. */
    boolean enter(Task<?> task) {
        tasks.add(task);
        counts.enter();
        if (together != null) {
            together.enter();
        }
        return !shut;
    }

    void leave(Task<?> task, TaskCounts.End end) {
        task.leave();
        counts.leave(end);
        if (together != null) {
            together.leave(end);
        }
        terminateIfDone();
    }

    private void terminateIfDone() {
        if (shut && counts.areAllLeft()) {
            onTermination.run();
            terminated.countDown();
        }
    }

    void countFailure() {
        counts.fail();
        if (together != null) {
            together.fail();
        }
    }

    void shut() {
        shut = true;
        terminateIfDone();
    }

    /** As {@link #shut}, and no task begins any more. */
    void stop() {
        stopped = true;
        shut();
    }

    boolean isStopped() {
        return stopped;
    }

    boolean isShut() {
        return shut;
    }

    boolean isTerminated() {
        return terminated.getCount() == 0;
    }

    /** Waits for termination and then, in the rest of the time, for that of the other. */
    boolean awaitTermination(long timeout, TimeUnit unit, @Nullable ExecutorService other) throws InterruptedException {
        WaitTime time = WaitTime.of(unit.toNanos(timeout));
        return terminated.await(timeout, unit)
                && (other == null || other.awaitTermination(time.left(), TimeUnit.NANOSECONDS));
    }

    /** The tasks that have not left; those that entered before it was shut are among them. */
    List<Task<?>> tasks() {
        return tasks.all();
    }

    ExecutorLedger ledger() {
        return counts.ledger();
    }
}
