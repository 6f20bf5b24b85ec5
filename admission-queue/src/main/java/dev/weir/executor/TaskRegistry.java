package dev.weir.executor;

import dev.weir.Ticker;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
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
     * Counters only grow, and `left` is read first: if they are equal, all that had entered by then had left, and a task
     * that enters later finds it shut.
     */
    private final TaskSet tasks = new TaskSet();
    private final LongAdder entered = new LongAdder();
    private final LongAdder[] left = {new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder()};
    private final LongAdder failures = new LongAdder();
    private final CountDownLatch terminated = new CountDownLatch(1);
    private final Runnable onTermination;
    /* A task enters before it reads this. */
    private volatile boolean shut;
    private volatile boolean stopped;

    /** The action is called once or more often. */
    TaskRegistry(Runnable onTermination) {
        this.onTermination = onTermination;
    }

    /** Each task enters once and leaves once. False if it is shut; the task has to leave all the same. */
    boolean enter(Task<?> task) {
        tasks.add(task);
        entered.increment();
        return !shut;
    }

    void leave(Task<?> task, TaskEnd end) {
        task.leave();
        left[end.ordinal()].increment();
        terminateIfDone();
    }

    private void terminateIfDone() {
        if (shut && left() == entered.sum()) {
            onTermination.run();
            terminated.countDown();
        }
    }

    private long left() {
        long sum = 0;
        for (LongAdder each : left) {
            sum += each.sum();
        }
        return sum;
    }

    /** Counts a failure of code that the executor called. */
    void countFailure() {
        failures.increment();
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

    /** Whether it is shut and the last task has left. */
    boolean isTerminated() {
        return terminated.getCount() == 0;
    }

    /** Waits for termination and then, in the rest of the time, for that of the other. */
    boolean awaitTermination(long timeout, TimeUnit unit, @Nullable ExecutorService other) throws InterruptedException {
        Ticker ticker = Ticker.system();
        long since = ticker.read();
        if (!terminated.await(timeout, unit)) {
            return false;
        }
        long rest = unit.toNanos(timeout) - (ticker.read() - since);
        return other == null || other.awaitTermination(rest, TimeUnit.NANOSECONDS);
    }

    /** The tasks that have not left; those that entered before it was shut are among them. */
    List<Task<?>> tasks() {
        return tasks.all();
    }

    ExecutorLedger ledger() {
        long succeeded = left(TaskEnd.SUCCEEDED);
        long failed = left(TaskEnd.FAILED);
        long cancelled = left(TaskEnd.CANCELLED);
        long rejected = left(TaskEnd.REJECTED);
        return new ExecutorLedger(entered.sum(), succeeded, failed, cancelled, rejected, failures.sum());
    }

    private long left(TaskEnd end) {
        return left[end.ordinal()].sum();
    }
}
