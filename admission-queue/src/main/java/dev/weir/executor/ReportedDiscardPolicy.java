package dev.weir.executor;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.DiscardOldestPolicy;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import org.jspecify.annotations.Nullable;

/**
 * A handler that discards rejected tasks as the handler before it did, and reports those of limited executors.
 *
 * @param oldest whether the task at the head of the pool's queue is discarded instead
 */
record ReportedDiscardPolicy(boolean oldest) implements RejectedExecutionHandler {
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
            task.discarded();
        } else if (head instanceof DelegatedTask delegated) {
            delegated.discarded();
        }
    }
}
