package dev.weir.queue;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.DiscardOldestPolicy;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import org.jspecify.annotations.Nullable;

/**
 * Discards what the handler before it discarded, and says so where that was a limited executor's task.
 *
 * @param oldest whether the task at the head of the pool's queue is discarded instead
 */
record ReportedDiscard(boolean oldest) implements RejectedExecutionHandler {
    /** Replaces the handler of a pool that would discard tasks and tell nobody; leaves any other. */
    static void instead(ThreadPoolExecutor pool) {
        RejectedExecutionHandler handler = pool.getRejectedExecutionHandler();
        if (handler.getClass() == DiscardPolicy.class || handler.getClass() == DiscardOldestPolicy.class) {
            pool.setRejectedExecutionHandler(new ReportedDiscard(handler instanceof DiscardOldestPolicy));
        }
    }

    @Override
    public void rejectedExecution(Runnable task, ThreadPoolExecutor pool) {
        boolean ours = task instanceof Task<?> || task instanceof HandedTask;
        if (oldest && !pool.isShutdown()) {
            Runnable head = pool.getQueue().poll();
            drop(head);
            if (head != null || !ours) {
                pool.execute(task);
                return;
            }
        }
        if (ours) {
            throw new RejectedExecutionException("discarded by " + pool);
        }
    }

    private static void drop(@Nullable Runnable head) {
        if (head instanceof Task<?> task) {
            task.dropped();
        } else if (head instanceof HandedTask handed) {
            handed.dropped();
        }
    }
}
