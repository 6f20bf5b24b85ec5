package dev.weir.queue;

import dev.weir.Adjustable;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A thread pool whose threads and queue are resized while it runs. Its limit is the largest number of threads. Thread-safe;
 * no resizing blocks: threads too many end when they are idle, and what is queued stays queued. A task beyond threads and
 * queue is refused with a {@code RejectedExecutionException}.
 */
public final class ResizableThreadPool extends AbstractExecutorService implements Adjustable {
    private static final long IDLE_SECONDS = 60;
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private final ResizableQueue queue;
    private final ThreadPoolExecutor pool;
    private final boolean fixed;
    private int core;

    private ResizableThreadPool(int core, int maximum, int capacity, ThreadFactory threads, boolean fixed) {
        queue = new ResizableQueue(capacity);
        pool = new ThreadPoolExecutor(core, maximum, IDLE_SECONDS, TimeUnit.SECONDS, queue, threads);
        this.core = core;
        this.fixed = fixed;
    }

    /** So many threads, and a queue for so many tasks when they are busy; 0 = none waits. */
    public static ResizableThreadPool fixed(int threads, int capacity) {
        return new ResizableThreadPool(
                atLeastOne("threads", threads), threads, capacity, Executors.defaultThreadFactory(), true);
    }

    /**
     * A core of threads, then a queue, then more threads up to a maximum that end after a minute without work, or after
     * {@link #setKeepAlive another time}. A factory that answers null or throws does what it does in a {@code
     * ThreadPoolExecutor}.
     */
    public static ResizableThreadPool of(int core, int maximum, int capacity, ThreadFactory threads) {
        checkCore(core, atLeastOne("maximum", maximum));
        return new ResizableThreadPool(core, maximum, capacity, threads, false);
    }

    private static int atLeastOne(String what, long count) {
        if (count < 1 || count > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(what + " must be within 1 and 2^31 - 1, was " + count);
        }
        return (int) count;
    }

    private static void checkCore(int core, int maximum) {
        if (core < 0 || core > maximum) {
            throw new IllegalArgumentException("core must be within 0 and " + maximum + ", was " + core);
        }
    }

    /** The largest number of threads. */
    @Override
    public long limit() {
        return pool.getMaximumPoolSize();
    }

    /** The largest number of threads; the core follows in a fixed pool, and in another is cut to it as long as it must. */
    @Override
    public synchronized void setLimit(long limit) {
        int maximum = atLeastOne("limit", limit);
        put(fixed ? maximum : Math.min(core, maximum), maximum);
    }

    /**
     * Both sizes at once; a fixed pool whose sizes are to differ is refused.
     *
     * @throws IllegalArgumentException if {@code maximum < 1} or {@code core} is not within 0 and it; nothing changes
     */
    public synchronized void resize(int nextCore, int maximum) {
        checkCore(nextCore, atLeastOne("maximum", maximum));
        if (fixed && nextCore != maximum) {
            throw new IllegalArgumentException("core of a fixed pool must be " + maximum + ", was " + nextCore);
        }
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

    /** How many tasks may be queued. */
    public int queueCapacity() {
        return queue.capacity();
    }

    /**
     * How many tasks may be queued from now on. What is queued stays, and none is added before there are fewer.
     *
     * @throws IllegalArgumentException if {@code capacity < 0}; the old one stays
     */
    public void resizeQueue(int capacity) {
        queue.resize(capacity);
    }

    /** For how long a thread beyond the core waits for work before it ends. */
    public Duration keepAlive() {
        return Duration.ofNanos(pool.getKeepAliveTime(TimeUnit.NANOSECONDS));
    }

    /**
     * For how long a thread beyond the core waits for work from now on before it ends; 0 = not at all.
     *
     * @throws IllegalArgumentException if it is negative; the old one stays
     */
    public void setKeepAlive(Duration idle) {
        if (idle.isNegative()) {
            throw new IllegalArgumentException("keepAlive must be >= 0, was " + idle);
        }
        boolean tooLong = idle.compareTo(LONGEST) > 0;
        pool.setKeepAliveTime((tooLong ? LONGEST : idle).toNanos(), TimeUnit.NANOSECONDS);
    }

    /** How many tasks are queued. */
    public int queued() {
        return queue.size();
    }

    /** How many threads there are. */
    public int threads() {
        return pool.getPoolSize();
    }

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
}
