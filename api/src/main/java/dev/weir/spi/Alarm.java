package dev.weir.spi;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

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

/** The timer thread of the process. */
final class SystemAlarm implements Alarm {
    static final SystemAlarm INSTANCE = new SystemAlarm();

    private static final long IDLE_SECONDS = 10;

    private final ScheduledThreadPoolExecutor timer;

    private SystemAlarm() {
        timer = new ScheduledThreadPoolExecutor(1, SystemAlarm::thread);
        timer.setRemoveOnCancelPolicy(true);
        timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
    }

    /* It inherits nothing from the thread that sets the first alarm. */
    private static Thread thread(Runnable work) {
        Thread thread = new Thread(null, work, "weir-alarm", 0, false);
        thread.setContextClassLoader(null);
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public Registration ring(long nanos, Runnable action) {
        Future<?> set = timer.schedule(action, nanos, TimeUnit.NANOSECONDS);
        return () -> set.cancel(false);
    }
}
