package dev.weir.spi;

/**
 * Calls back after a while. Implementations are thread-safe. A queue keeps at most one alarm set, however many requests
 * wait, besides a retry after a failure.
 */
@FunctionalInterface
public interface Alarm {
    /**
     * Runs the action once, on any thread, this many nanoseconds from now or later. Does not block.
     *
     * @param nanos at least 1
     * @return cancels the alarm when closed; after the alarm has run that does nothing
     */
    Registration ring(long nanos, Runnable action);

    /**
     * One daemon thread for the whole process, started when first needed and ended when idle. It runs the actions itself:
     * an action that takes long or may block must hand its work to an executor.
     */
    static Alarm system() {
        return SystemAlarm.INSTANCE;
    }
}
