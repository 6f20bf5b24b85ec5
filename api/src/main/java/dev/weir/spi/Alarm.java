package dev.weir.spi;

/**
 * A timer that runs an action after a delay. Implementations are thread-safe. A queue has at most one alarm set,
 * however many requests wait, and one more for a retry after a failure.
 */
@FunctionalInterface
public interface Alarm {
    /**
     * Runs the action once, on any thread, not before this delay has passed. Does not block.
     *
     * @param nanos the delay in nanoseconds, at least 1
     * @return cancels the action when closed; has no effect once the action has run
     */
    Registration ring(long nanos, Runnable action);

    /**
     * The alarm of the process: one daemon thread, started when it is first needed and stopped when idle. It runs the
     * actions itself, so an action that takes long or may block must pass its work to an executor.
     */
    static Alarm system() {
        return SystemAlarm.INSTANCE;
    }
}
