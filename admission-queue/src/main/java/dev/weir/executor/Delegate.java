package dev.weir.executor;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.AbortPolicy;

/**
 * The executor that runs the tasks, and what is known about it.
 *
 * @param reports whether it runs each task or throws: it never discards one silently
 * @param capturesNothing whether a task runs alike, whichever thread passes it
 */
record Delegate(Executor executor, boolean reports, boolean capturesNothing) {
    static Delegate of(Executor executor, boolean capturesNothing) {
        if (executor instanceof ThreadPoolExecutor pool) {
            ReportedDiscardPolicy.install(pool);
        }
        boolean known = isPool(executor);
        return new Delegate(executor, known, known || capturesNothing);
    }

    /* A subclass may do anything; a pool that runs refused tasks does so in the context of the thread that passes them. */
    private static boolean isPool(Executor executor) {
        Class<?> type = executor.getClass();
        if (type == ThreadPoolExecutor.class || type == ScheduledThreadPoolExecutor.class) {
            RejectedExecutionHandler handler = ((ThreadPoolExecutor) executor).getRejectedExecutionHandler();
            return handler.getClass() == AbortPolicy.class
                    || (handler instanceof ReportedDiscardPolicy && type == ThreadPoolExecutor.class);
        }
        return type == ForkJoinPool.class || type == ResizableThreadPool.class;
    }

    boolean isShut() {
        return executor instanceof ExecutorService service && service.isShutdown();
    }
}
