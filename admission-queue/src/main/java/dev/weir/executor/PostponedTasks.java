package dev.weir.executor;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Tasks that were granted after they had waited, and that their delegate refused because no worker was free: a worker of the
 * same delegate that ends a task runs them next. One for all executors on a queue.
 */
final class PostponedTasks {
    /*
     * The worker that releases a permit is itself busy until it returns to its pool, so a pool as large as the limit, without
     * a queue, refuses the task that gets that permit.
     *
     *     thread that grants                   worker
     *     adds the task                        its task is over
     *     looks for a task that runs           looks for a task to run next
     *
     * One of the two sees the other. If no task runs, the first one removes its task again, unless a worker has.
     */
    private final Queue<Task<?>> tasks = new ConcurrentLinkedQueue<>();
    private final Set<TaskHost> executors = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    void register(TaskHost executor) {
        executors.add(executor);
    }

    /** False if no worker would run it. */
    boolean add(Task<?> task, Executor delegate) {
        tasks.add(task);
        return isBusy(delegate) || !tasks.remove(task);
    }

    private boolean isBusy(Executor delegate) {
        List<TaskHost> all;
        synchronized (executors) {
            all = new ArrayList<>(executors);
        }
        return all.stream().anyMatch(each -> each.runsOn(delegate) && each.isBusy());
    }

    void remove(Task<?> task) {
        tasks.remove(task);
    }

    /** Removes and returns the next task for a worker of this delegate; null if there is none. */
    @Nullable
    Task<?> next(Executor delegate) {
        for (Iterator<Task<?>> all = tasks.iterator(); all.hasNext(); ) {
            Task<?> task = all.next();
            if (task.host.runsOn(delegate) && tasks.remove(task)) {
                return task;
            }
        }
        return null;
    }
}
