package dev.weir.executor;

import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counts of the tasks of one executor, or of several together ({@link LimitedExecutor.Builder#countingIn}), also of those that
 * are closed or garbage. Thread-safe.
 */
public final class TaskCounts {
    /** The ways in which a task ends; each task ends once. */
    enum End {
        SUCCEEDED,
        FAILED,
        CANCELLED,
        REJECTED
    }

    private final LongAdder entered = new LongAdder();
    private final LongAdder[] left = {new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder()};
    private final LongAdder failures = new LongAdder();

    /** Counts of no tasks yet. */
    public TaskCounts() {}

    void enter() {
        entered.increment();
    }

    void leave(End end) {
        left[end.ordinal()].increment();
    }

    void fail() {
        failures.increment();
    }

    /** True if as many tasks have left as had entered by then. */
    boolean areAllLeft() {
        return Arrays.stream(left).mapToLong(LongAdder::sum).sum() == entered.sum();
    }

    /** The number of tasks that were submitted, and of each way in which they ended. */
    public ExecutorLedger ledger() {
        long succeeded = left[End.SUCCEEDED.ordinal()].sum();
        long failed = left[End.FAILED.ordinal()].sum();
        long cancelled = left[End.CANCELLED.ordinal()].sum();
        long rejected = left[End.REJECTED.ordinal()].sum();
        return new ExecutorLedger(entered.sum(), succeeded, failed, cancelled, rejected, failures.sum());
    }
}
