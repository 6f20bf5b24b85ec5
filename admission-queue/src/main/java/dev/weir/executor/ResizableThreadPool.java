package dev.weir.executor;

import dev.weir.Adjustable;
import dev.weir.internal.Require;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A thread pool whose number of threads and queue capacity change while it runs. Its limit is the maximum number of threads.
 * Resizing does not block: surplus threads end when they are idle, and queued tasks stay queued. A task beyond threads and
 * queue is refused with a {@code RejectedExecutionException}. Thread-safe.
 */
public final class ResizableThreadPool extends AbstractExecutorService implements Adjustable {
    private static final long IDLE_SECONDS = 60;

    private final ResizableQueue queue;
    private final ThreadPoolExecutor pool;
    private final boolean fixed;
    /* Guarded by the monitor. */
    private int core;

    private ResizableThreadPool(int core, int maximum, int capacity, ThreadFactory threads, boolean fixed) {
        queue = new ResizableQueue(capacity);
        pool = new ThreadPoolExecutor(core, maximum, IDLE_SECONDS, TimeUnit.SECONDS, queue, threads);
        this.core = core;
        this.fixed = fixed;
    }

    /**
     * A pool with a fixed number of threads.
     *
     * @param capacity how many tasks may be queued while all threads are busy; 0 = none
     * @throws IllegalArgumentException if {@code threads < 1} or {@code capacity < 0}
     */
    public static ResizableThreadPool fixed(int threads, int capacity) {
        return new ResizableThreadPool(
                atLeastOne("threads", threads), threads, capacity, Executors.defaultThreadFactory(), true);
    }

    /**
     * A pool that starts {@code core} threads, then queues tasks, then starts more threads up to {@code maximum}, which end
     * after a minute without work, or after {@linkplain #setKeepAlive another time}. A factory that returns null or throws has
     * the same effect as in a {@code ThreadPoolExecutor}.
     *
     * @param capacity how many tasks may be queued; 0 = none
     * @throws IllegalArgumentException if {@code maximum < 1}, {@code core} is not within 0 and {@code maximum}, or {@code
     *     capacity < 0}
     */
    public static ResizableThreadPool of(int core, int maximum, int capacity, ThreadFactory threads) {
        checkCore(core, atLeastOne("maximum", maximum));
        return new ResizableThreadPool(core, maximum, capacity, threads, false);
    }

    private static int atLeastOne(String what, long count) {
        Require.that(count >= 1 && count <= Integer.MAX_VALUE, what + " must be within 1 and 2^31 - 1", count);
        return (int) count;
    }

    private static void checkCore(int core, int maximum) {
        Require.that(core >= 0 && core <= maximum, "core must be within 0 and " + maximum, core);
    }

    /** The maximum number of threads. */
    @Override
    public long limit() {
        return pool.getMaximumPoolSize();
    }

    /**
     * Sets the maximum number of threads. The core follows in a fixed pool; in another pool it is lowered as far as needed
     * while the maximum is below it.
     *
     * @throws IllegalArgumentException if {@code limit} is not within 1 and {@code 2^31 - 1}; nothing changes
     */
    @Override
    public synchronized void setLimit(long limit) {
        int maximum = atLeastOne("limit", limit);
        put(fixed ? maximum : Math.min(core, maximum), maximum);
    }

    /**
     * Sets both sizes at once.
     *
     * @throws IllegalArgumentException if {@code maximum < 1}, {@code nextCore} is not within 0 and {@code maximum}, or the pool
     *     is fixed and they differ; nothing changes
     */
    public synchronized void resize(int nextCore, int maximum) {
        checkCore(nextCore, atLeastOne("maximum", maximum));
        Require.that(!fixed || nextCore == maximum, "core of a fixed pool must be " + maximum, nextCore);
        core = nextCore;
        put(nextCore, maximum);
    }

    /* The core may at no time be above the maximum: growing raises the ceiling first, shrinking lowers the floor first. */
    private void put(int nextCore, int maximum) {
        if (maximum >= pool.getMaximumPoolSize()) {
            pool.setMaximumPoolSize(maximum);
            pool.setCorePoolSize(nextCore);
        } else {
            pool.setCorePoolSize(nextCore);
            pool.setMaximumPoolSize(maximum);
        }
    }

    /** The maximum number of queued tasks. */
    public int queueCapacity() {
        return queue.capacity();
    }

    /**
     * Sets how many tasks may be queued. Queued tasks stay; none is added before there are fewer than that.
     *
     * @throws IllegalArgumentException if {@code capacity < 0}; the old one stays
     */
    public void resizeQueue(int capacity) {
        queue.resize(capacity);
    }

    /** The time that a thread beyond the core waits for work before it ends. */
    public Duration keepAlive() {
        return Duration.ofNanos(pool.getKeepAliveTime(TimeUnit.NANOSECONDS));
    }

    /**
     * Sets how long a thread beyond the core waits for work before it ends; 0 = not at all.
     *
     * @throws IllegalArgumentException if it is negative; the old one stays
     */
    public void setKeepAlive(Duration idle) {
        Require.that(!idle.isNegative(), "keepAlive must be >= 0", idle);
        pool.setKeepAliveTime(TimeUnit.NANOSECONDS.convert(idle), TimeUnit.NANOSECONDS);
    }

    /** The number of queued tasks. */
    public int queued() {
        return queue.size();
    }

    /** The number of threads. */
    public int threads() {
        return pool.getPoolSize();
    }

    /**
     * Runs the command on a thread of the pool, or queues it.
     *
     * @throws java.util.concurrent.RejectedExecutionException if all threads are busy and the queue is full, or it is shut down
     */
    @Override
    public void execute(Runnable command) {
        pool.execute(command);
    }

    @Override
    public void shutdown() {
        pool.shutdown();
    }

    @Override
    public List<Runnable> shutdownNow() {
        return pool.shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return pool.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return pool.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return pool.awaitTermination(timeout, unit);
    }

    /** The limit, the capacity, and how many threads and queued tasks there are. */
    @Override
    public String toString() {
        return "ResizableThreadPool[limit " + limit() + ", " + threads() + " threads, " + queued() + " of "
                + queueCapacity() + " queued]";
    }
}
