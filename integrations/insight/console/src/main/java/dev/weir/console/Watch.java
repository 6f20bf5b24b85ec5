package dev.weir.console;

import dev.weir.internal.Workers;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A watch over threads that read from or write to a client: it interrupts one that takes too long, which closes the connection. Nothing
 * else does: a client that reads nothing blocks its writer for ever, and {@code close} from another thread blocks too.
 */
final class Watch implements AutoCloseable {
    /** The time that a thread of the server stays without work. */
    static final long IDLE_MILLIS = 200;

    private final ScheduledThreadPoolExecutor alarm =
            new ScheduledThreadPoolExecutor(1, work -> Workers.thread("weir-console-watch", work));

    Watch() {
        alarm.setRemoveOnCancelPolicy(true);
        alarm.setKeepAliveTime(IDLE_MILLIS, TimeUnit.MILLISECONDS);
        alarm.allowCoreThreadTimeOut(true);
    }

    /** A limit of time for the calling thread, until it is closed. */
    Limit limit(long nanos) {
        return new Limit(nanos);
    }

    @Override
    public void close() {
        alarm.shutdownNow();
    }

    /** One limit of time. After close it interrupts no more. */
    final class Limit implements AutoCloseable {
        private final Thread thread = Thread.currentThread();
        private Future<?> end;
        private boolean over;

        private Limit(long nanos) {
            end = schedule(nanos);
        }

        private Future<?> schedule(long nanos) {
            return alarm.schedule(this::end, nanos, TimeUnit.NANOSECONDS);
        }

        synchronized void renew(long nanos) {
            end.cancel(false);
            end = schedule(nanos);
        }

        synchronized void end() {
            if (!over) {
                thread.interrupt();
            }
        }

        @Override
        public synchronized void close() {
            over = true;
            end.cancel(false);
        }
    }
}
