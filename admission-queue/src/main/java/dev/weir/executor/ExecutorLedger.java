package dev.weir.executor;

/**
 * The counts of an executor: the tasks that it got, by how they ended. Once it is idle, {@code submitted} is the sum of the four
 * ends.
 *
 * @param submitted all tasks
 * @param succeeded ran and returned
 * @param failed ran and threw
 * @param cancelled cancelled before or while they ran, or returned by {@code shutdownNow}
 * @param rejected refused by the limit, the queue or the delegate, whatever the policy did
 * @param failures exceptions of the code it called: policies and context propagators
 */
public record ExecutorLedger(
        long submitted, long succeeded, long failed, long cancelled, long rejected, long failures) {
    /** The number of tasks that have not ended. Exact if no task is submitted or ends meanwhile. */
    public long open() {
        return submitted - succeeded - failed - cancelled - rejected;
    }
}
