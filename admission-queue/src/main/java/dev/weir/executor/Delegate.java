package dev.weir.executor;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.AbortPolicy;
import java.util.concurrent.ThreadPoolExecutor.DiscardOldestPolicy;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import org.jspecify.annotations.Nullable;

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

    /**
     * A handler that discards rejected tasks as the handler before it did, and reports those of limited executors.
     *
     * @param oldest whether the task at the head of the pool's queue is discarded instead
     */
    private record ReportedDiscardPolicy(boolean oldest) implements RejectedExecutionHandler {
        /** Replaces the handler of a pool that would discard tasks silently; leaves any other. */
        static void install(ThreadPoolExecutor pool) {
            RejectedExecutionHandler handler = pool.getRejectedExecutionHandler();
            if (handler.getClass() == DiscardPolicy.class || handler.getClass() == DiscardOldestPolicy.class) {
                pool.setRejectedExecutionHandler(new ReportedDiscardPolicy(handler instanceof DiscardOldestPolicy));
            }
        }

        @Override
        public void rejectedExecution(Runnable task, ThreadPoolExecutor pool) {
            boolean ours = task instanceof Task<?> || task instanceof DelegatedTask;
            if (oldest && !pool.isShutdown()) {
                Runnable head = pool.getQueue().poll();
                discard(head);
                if (head != null || !ours) {
                    pool.execute(task);
                    return;
                }
            }
            if (ours) {
                throw new RejectedExecutionException("discarded by " + pool);
            }
        }

        private static void discard(@Nullable Runnable head) {
            if (head instanceof Task<?> task) {
                task.host.discarded(task);
            } else if (head instanceof DelegatedTask delegated) {
                delegated.discarded();
            }
        }
    }
}
