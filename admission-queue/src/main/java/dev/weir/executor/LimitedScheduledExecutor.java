package dev.weir.executor;

import dev.weir.Decision;
import dev.weir.LimitExceededException;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.internal.Undoable;
import dev.weir.queue.AdmissionQueue;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A {@link ScheduledThreadPoolExecutor} in which each run acquires a permit when it is due, waiting for it on its worker, and
 * releases it when the run has ended. A refused task fails with a {@code RejectedExecutionException} whose cause is a {@link
 * LimitExceededException}; of a periodic task the refused run is {@linkplain #skipped skipped}. Shutting it down does not
 * close the queue. Thread-safe.
 *
 * <p>A worker that waits runs nothing else: choose more threads than permits, or a short wait.
 */
public final class LimitedScheduledExecutor extends ScheduledThreadPoolExecutor {
    private final AdmissionQueue queue;
    private final Request request;
    private final Duration maxWait;
    private final LongAdder skipped = new LongAdder();
    private final CompletionServices<ImmediateTask<?>> services = new CompletionServices<>();

    /**
     * An executor with this number of threads.
     *
     * @param maxWait how long a run may wait for its permit; zero or negative = not at all
     * @throws IllegalArgumentException if {@code threads < 0}
     */
    public LimitedScheduledExecutor(
            int threads, ThreadFactory factory, AdmissionQueue queue, Request request, Duration maxWait) {
        super(threads, factory);
        this.queue = Objects.requireNonNull(queue, "queue");
        this.request = Objects.requireNonNull(request, "request");
        this.maxWait = Objects.requireNonNull(maxWait, "maxWait");
    }

    /** How many runs of periodic tasks were skipped because they were refused. */
    public long skipped() {
        return skipped.sum();
    }

    /** A single run. */
    private final class SingleTask<V> implements Callable<V> {
        private final Callable<V> work;
        private volatile @Nullable Future<?> future;

        SingleTask(Callable<V> work) {
            this.work = Objects.requireNonNull(work, "work");
        }

        <F extends Future<?>> F with(F itsFuture) {
            future = itsFuture;
            return itsFuture;
        }

        @Override
        public V call() throws Exception {
            Decision decision = queue.acquire(request, maxWait);
            if (decision instanceof Rejection refused) {
                throw RejectedTask.exception(refused);
            }
            Permit permit = (Permit) decision;
            if (isCancelled(future)) {
                Undoable.undo(permit);
                throw new CancellationException();
            }
            return ScheduledCommand.runUnder(permit, work);
        }
    }

    /** The runs of a periodic task. */
    private final class PeriodicTask implements Runnable {
        private final Callable<?> work;
        private volatile @Nullable Future<?> future;

        PeriodicTask(Runnable run) {
            work = Executors.callable(run);
        }

        <F extends Future<?>> F with(F itsFuture) {
            future = itsFuture;
            return itsFuture;
        }

        @Override
        public void run() {
            Decision decision = null;
            try {
                decision = queue.acquire(request, maxWait);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (!(decision instanceof Permit permit)) {
                skipped.increment();
                return;
            }
            if (isCancelled(future)) {
                Undoable.undo(permit);
                return;
            }
            try {
                Object unused = ScheduledCommand.runUnder(permit, work);
            } catch (Exception e) {
                Task.<RuntimeException>sneak(e);
            }
        }
    }

    private static boolean isCancelled(@Nullable Future<?> future) {
        return future != null && future.isCancelled();
    }

    /** Passes a periodic task its future: a run that was cancelled while it waited for its permit does not run. */
    @Override
    protected <V> RunnableScheduledFuture<V> decorateTask(Runnable runnable, RunnableScheduledFuture<V> task) {
        return runnable instanceof PeriodicTask periodic ? periodic.with(task) : task;
    }

    /** As {@link #decorateTask(Runnable, RunnableScheduledFuture)}, for a task that runs once. */
    @Override
    protected <V> RunnableScheduledFuture<V> decorateTask(Callable<V> callable, RunnableScheduledFuture<V> task) {
        return callable instanceof SingleTask<V> single ? single.with(task) : task;
    }

    /** The future of a task without a delay, which acquires its permit itself. */
    private static final class ImmediateTask<V> extends FutureTask<V> {
        ImmediateTask(LimitedScheduledExecutor.SingleTask<V> single) {
            super(single);
        }
    }

    @Override
    protected <V> RunnableFuture<V> newTaskFor(Callable<V> callable) {
        SingleTask<V> single = new SingleTask<>(callable);
        ImmediateTask<V> future = single.with(new ImmediateTask<>(single));
        services.created(future);
        return future;
    }

    @Override
    protected <V> RunnableFuture<V> newTaskFor(Runnable runnable, V value) {
        return newTaskFor(Executors.callable(runnable, value));
    }

    /**
     * {@inheritDoc} If the run is refused, a command that is a future is cancelled. Any other command, and the tasks of {@code
     * CompletableFuture}, wait without a timeout, also while the queue is full; if they are refused still (the queue is closed
     * or sheds, or the thread is interrupted), the worker's uncaught exception handler gets the rejection.
     */
    @Override
    public void execute(Runnable command) {
        Objects.requireNonNull(command, "command");
        if (services.within(command) != null || command instanceof ImmediateTask<?>) {
            ScheduledFuture<?> unused = super.schedule(command, 0, TimeUnit.NANOSECONDS);
        } else {
            ScheduledFuture<?> unused =
                    super.schedule(new ScheduledCommand(command, queue, request, maxWait), 0, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return super.schedule(new SingleTask<>(Executors.callable(command)), delay, unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        return super.schedule(new SingleTask<>(callable), delay, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        return super.scheduleAtFixedRate(new PeriodicTask(command), initialDelay, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        return super.scheduleWithFixedDelay(new PeriodicTask(command), initialDelay, delay, unit);
    }

    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks) throws InterruptedException {
        try {
            return super.invokeAll(tasks);
        } finally {
            services.clear();
        }
    }

    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
            throws InterruptedException {
        try {
            return super.invokeAll(tasks, timeout, unit);
        } finally {
            services.clear();
        }
    }
}
