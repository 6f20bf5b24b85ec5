package dev.weir.queue;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.AbortPolicy;

/**
 * The executor that runs the tasks, and what is known of it.
 *
 * @param reports whether it runs each task or throws: it never drops one and says nothing
 * @param capturesNothing whether a task runs alike, whoever hands it over
 */
record Delegate(Executor executor, boolean reports, boolean capturesNothing) {
    static Delegate of(Executor executor, boolean capturesNothing) {
        if (executor instanceof ThreadPoolExecutor pool) {
            ReportedDiscard.instead(pool);
        }
        boolean known = isPool(executor);
        return new Delegate(executor, known, known || capturesNothing);
    }

    /* A subclass may do as it likes; a pool that runs what it refuses does so in the context of whoever hands it over. */
    private static boolean isPool(Executor executor) {
        Class<?> type = executor.getClass();
        if (type == ThreadPoolExecutor.class || type == ScheduledThreadPoolExecutor.class) {
            RejectedExecutionHandler handler = ((ThreadPoolExecutor) executor).getRejectedExecutionHandler();
            return handler.getClass() == AbortPolicy.class
                    || (handler instanceof ReportedDiscard && type == ThreadPoolExecutor.class);
        }
        return type == ForkJoinPool.class || type == ResizableThreadPool.class;
    }

    boolean isShut() {
        return executor instanceof ExecutorService service && service.isShutdown();
    }
}
