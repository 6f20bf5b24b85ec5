package dev.weir.queue;

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
 * Tasks that were granted after they had waited, and that their delegate refused for want of a free worker: whoever ends a
 * task on a worker of the same delegate runs them next. One for all executors on a queue.
 */
final class Postponed {
    /*
     * The worker that releases a permit is itself busy until it returns to its pool, so a pool as large as the limit, without
     * a queue, refuses what that permit was granted for.
     *
     *     keeper                               worker
     *     adds the task                        its task is over
     *     looks for a task that runs           looks for a task to run next
     *
     * One of the two sees the other. If no task runs, the keeper takes its task out again, unless a worker has.
     */
    private final Queue<Task<?>> tasks = new ConcurrentLinkedQueue<>();
    private final Set<Dispatch> executors = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    void on(Dispatch executor) {
        executors.add(executor);
    }

    /** False if no worker would run it. */
    boolean keep(Task<?> task, Executor delegate) {
        tasks.add(task);
        return isBusy(delegate) || !tasks.remove(task);
    }

    private boolean isBusy(Executor delegate) {
        List<Dispatch> all;
        synchronized (executors) {
            all = new ArrayList<>(executors);
        }
        return all.stream().anyMatch(each -> each.handsTo(delegate) && each.isBusy());
    }

    void forget(Task<?> task) {
        tasks.remove(task);
    }

    @Nullable
    Task<?> next(Executor delegate) {
        for (Iterator<Task<?>> all = tasks.iterator(); all.hasNext(); ) {
            Task<?> task = all.next();
            if (task.goesTo(delegate) && tasks.remove(task)) {
                return task;
            }
        }
        return null;
    }
}
