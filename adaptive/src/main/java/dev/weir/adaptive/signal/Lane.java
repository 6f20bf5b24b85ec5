package dev.weir.adaptive.signal;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The thread readings are taken on. When one hangs, the lane is left to it, to end when it does, and the next reading
 * opens another: as many threads as there are hanging sensors, and one. Or an executor of somebody else's.
 */
final class Lane {
    private final @Nullable Executor supplied;
    private volatile @Nullable ThreadPoolExecutor own;

    Lane(@Nullable Executor supplied) {
        this.supplied = supplied;
    }

    /** The result; null if it does not come in time. */
    <T> @Nullable T run(FutureTask<T> task, long timeoutNanos) throws InterruptedException, ExecutionException {
        (supplied != null ? supplied : opened()).execute(task);
        try {
            return task.get(timeoutNanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            leave();
            return null;
        }
    }

    private ThreadPoolExecutor opened() {
        ThreadPoolExecutor open = own;
        if (open == null) {
            open = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), reading -> {
                Thread thread = new Thread(reading, "weir-sensor");
                thread.setDaemon(true);
                return thread;
            });
            own = open;
        }
        return open;
    }

    /** Takes no more; a reading under way goes on. */
    void leave() {
        ThreadPoolExecutor open = own;
        own = null;
        if (open != null) {
            open.shutdown();
        }
    }
}
