package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.LimitExceededException;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A scheduled executor whose every run takes a permit when its time has come, waiting for it on its worker, and returns it
 * when the run has ended. A task that is refused then fails with a {@code RejectedExecutionException} whose cause carries
 * the rejection; of a series that run alone is {@linkplain #skipped skipped}. In all else as its parent. The queue is not
 * closed with it. Thread-safe.
 *
 * <p>A worker that waits runs nothing else: have more threads than permits, or a short wait.
 */
public final class LimitedScheduledExecutor extends ScheduledThreadPoolExecutor {
    private final AdmissionQueue queue;
    private final Request request;
    private final Duration maxWait;
    private final LongAdder skipped = new LongAdder();
    private final CompletionServices<AtOnce<?>> services = new CompletionServices<>();

    /**
     * One of so many threads.
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

    /** How many runs of series were skipped because they were refused. */
    public long skipped() {
        return skipped.sum();
    }

    private static <V> V under(Permit permit, Callable<V> work) throws Exception {
        try {
            V result = work.call();
            permit.release(Outcome.SUCCESS);
            return result;
        } catch (Throwable t) {
            permit.release(Outcome.of(t));
            throw t;
        }
    }

    /** A single run. */
    private final class Single<V> implements Callable<V> {
        private final Callable<V> work;
        private volatile @Nullable Future<?> future;

        Single(Callable<V> work) {
            this.work = Objects.requireNonNull(work, "work");
        }

        <F extends Future<?>> F of(F itsFuture) {
            future = itsFuture;
            return itsFuture;
        }

        @Override
        public V call() throws Exception {
            Decision decision = queue.acquire(request, maxWait);
            if (decision instanceof Rejection refused) {
                throw new RejectedExecutionException(refused.toString(), new LimitExceededException(refused));
            }
            Permit permit = (Permit) decision;
            Future<?> itsFuture = future;
            if (itsFuture != null && itsFuture.isCancelled()) {
                permit.release(Outcome.CANCELLED);
                throw new CancellationException();
            }
            return under(permit, work);
        }
    }

    /** The runs of a series. */
    private record Series(LimitedScheduledExecutor executor, Callable<?> work) implements Runnable {
        @Override
        public void run() {
            Decision decision = null;
            try {
                decision = executor.queue.acquire(executor.request, executor.maxWait);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (!(decision instanceof Permit permit)) {
                executor.skipped.increment();
                return;
            }
            try {
                Object unused = under(permit, work);
            } catch (Exception e) {
                Series.<RuntimeException>sneak(e);
            }
        }

        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
        private static <T extends Exception> void sneak(Exception e) throws T {
            throw (T) e;
        }
    }

    private Runnable series(Runnable run) {
        return new Series(this, Executors.callable(run));
    }

    /** Ends the work of a task that was cancelled while it waited for its permit. */
    @Override
    protected <V> RunnableScheduledFuture<V> decorateTask(Callable<V> callable, RunnableScheduledFuture<V> task) {
        return callable instanceof Single<V> single ? single.of(task) : task;
    }

    /** The future of a task that is to run at once, and takes its permit itself. */
    private static final class AtOnce<V> extends FutureTask<V> {
        AtOnce(LimitedScheduledExecutor.Single<V> single) {
            super(single);
        }
    }

    @Override
    protected <V> RunnableFuture<V> newTaskFor(Callable<V> callable) {
        Single<V> single = new Single<>(callable);
        AtOnce<V> made = single.of(new AtOnce<>(single));
        services.made(made);
        return made;
    }

    @Override
    protected <V> RunnableFuture<V> newTaskFor(Runnable runnable, V value) {
        return newTaskFor(Executors.callable(runnable, value));
    }

    @Override
    public void execute(Runnable command) {
        Objects.requireNonNull(command, "command");
        if (services.within(command) != null || command instanceof AtOnce<?>) {
            ScheduledFuture<?> unused = super.schedule(command, 0, TimeUnit.NANOSECONDS);
        } else {
            ScheduledFuture<?> unused = schedule(command, 0, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return super.schedule(new Single<>(Executors.callable(command)), delay, unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        return super.schedule(new Single<>(callable), delay, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        return super.scheduleAtFixedRate(series(command), initialDelay, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        return super.scheduleWithFixedDelay(series(command), initialDelay, delay, unit);
    }

    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks) throws InterruptedException {
        try {
            return super.invokeAll(tasks);
        } finally {
            services.forget();
        }
    }

    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
            throws InterruptedException {
        try {
            return super.invokeAll(tasks, timeout, unit);
        } finally {
            services.forget();
        }
    }
}
