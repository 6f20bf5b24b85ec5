package dev.weir.queue;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Daemon threads that become more while tasks block them, and end when idle: no task waits for another to end. One thread
 * is enough for tasks that do not block.
 */
final class Workers implements Executor {
    /*
     * At most one thread at a time is on its way to the tasks (`coming`). A worker that takes a task while others are left
     * sends for the next thread before it runs its own, which may block:
     *
     *     execute, or a worker           the thread on its way
     *     adds a task, or leaves one     coming := false
     *     coming: false -> true: sends   takes a task
     *
     * Who finds `coming` true leaves the task to the thread on its way, which has yet to take one.
     */
    private static final long IDLE_SECONDS = 1;

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean coming = new AtomicBoolean();
    private final ThreadPoolExecutor threads;

    Workers(String name) {
        threads = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), work -> {
                    Thread thread = new Thread(null, work, name, 0, false);
                    thread.setContextClassLoader(null);
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /** Runs the task on another thread. If no thread can be started it throws, and the task is run by the next one. */
    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        send();
    }

    private void send() {
        if (coming.compareAndSet(false, true)) {
            try {
                threads.execute(this::work);
            } catch (Throwable t) {
                coming.set(false);
                throw t;
            }
        }
    }

    private void work() {
        coming.set(false);
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            try {
                if (!tasks.isEmpty()) {
                    send();
                }
            } finally {
                task.run();
            }
        }
    }
}
