package dev.weir.spi;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

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
