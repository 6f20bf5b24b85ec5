package dev.weir.queue;

/**
 * What became of the tasks an executor was given. Once it is idle, {@code submitted} is the sum of the four endings.
 *
 * @param submitted all that it was given
 * @param succeeded ran and returned
 * @param failed ran and threw
 * @param cancelled cancelled before it ran or while it did, or taken back by {@code shutdownNow}
 * @param rejected refused, by the limit, the line or the delegate, whatever the policy made of it
 * @param failures how often code it called failed: policies and context propagators
 */
public record ExecutorLedger(
        long submitted, long succeeded, long failed, long cancelled, long rejected, long failures) {
    /** How many have not ended; exact when nothing is submitted or ends meanwhile. */
    public long open() {
        return submitted - succeeded - failed - cancelled - rejected;
    }
}
