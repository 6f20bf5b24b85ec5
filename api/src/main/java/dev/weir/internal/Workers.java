package dev.weir.internal;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** An executor of daemon threads that end when idle. While tasks block, more threads start: no task waits for another's end. */
public final class Workers implements Executor {
    /*
     * At most one thread at a time is starting (`starting`). A worker that takes a task while others are left starts the
     * next thread before it runs its own task, which may block:
     *
     *     execute, or a worker                the starting thread
     *     adds a task, or leaves one          starting := false
     *     starting: false -> true: starts     takes a task
     *
     * A thread that finds `starting` true leaves its task to the starting thread, which has taken none yet.
     */
    private static final long IDLE_SECONDS = 1;

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean starting = new AtomicBoolean();
    private final ThreadPoolExecutor threads;

    public Workers(String name) {
        threads = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                work -> thread(name, work));
    }

    /** A daemon thread that inherits nothing from the one that makes it. It is not started. */
    public static Thread thread(String name, Runnable work) {
        Thread thread = new Thread(null, work, name, 0, false);
        thread.setContextClassLoader(null);
        thread.setDaemon(true);
        return thread;
    }

    /** Runs the task on another thread. If no thread can be started it throws, and the task is run by the next one. */
    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        startThread();
    }

    private void startThread() {
        if (starting.compareAndSet(false, true)) {
            try {
                threads.execute(this::work);
            } catch (Throwable t) {
                starting.set(false);
                throw t;
            }
        }
    }

    private void work() {
        starting.set(false);
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            try {
                if (!tasks.isEmpty()) {
                    startThread();
                }
            } finally {
                task.run();
            }
        }
    }
}
