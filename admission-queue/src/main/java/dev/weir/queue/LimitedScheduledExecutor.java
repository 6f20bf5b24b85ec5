package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.LimitExceededException;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
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

    private <V> V limited(Callable<V> work) throws Exception {
        Decision decision = queue.acquire(request, maxWait);
        if (decision instanceof Rejection refused) {
            throw new RejectedExecutionException(refused.toString(), new LimitExceededException(refused));
        }
        return under((Permit) decision, work);
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

    private Runnable limitedRuns(Runnable run) {
        Objects.requireNonNull(run, "run");
        return () -> {
            try {
                Decision decision = queue.acquire(request, maxWait);
                if (decision instanceof Permit permit) {
                    under(permit, Executors.callable(run));
                } else {
                    skipped.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                skipped.increment();
            } catch (Exception e) {
                throw (RuntimeException) e;
            }
        };
    }

    /** Takes a permit if it was given for running by itself; within another's future, the other has one. */
    private final class Work<V> implements Callable<V> {
        private final Callable<V> work;
        private volatile boolean byItself;

        Work(Callable<V> work) {
            this.work = Objects.requireNonNull(work, "work");
        }

        @Override
        public V call() throws Exception {
            return byItself ? limited(work) : work.call();
        }
    }

    /** The future of a task that is to run at once. */
    private static final class Runner<V> extends FutureTask<V> {
        private final LimitedScheduledExecutor.Work<V> work;
        private final @Nullable Consumer<? super Future<V>> whenDone;

        Runner(LimitedScheduledExecutor.Work<V> work, @Nullable Consumer<? super Future<V>> whenDone) {
            super(work);
            this.work = work;
            this.whenDone = whenDone;
        }

        @Override
        protected void done() {
            if (whenDone != null) {
                whenDone.accept(this);
            }
        }
    }

    @Override
    protected <V> RunnableFuture<V> newTaskFor(Callable<V> callable) {
        return new Runner<>(new Work<>(callable), null);
    }

    @Override
    protected <V> RunnableFuture<V> newTaskFor(Runnable runnable, V value) {
        return newTaskFor(Executors.callable(runnable, value));
    }

    @Override
    public void execute(Runnable command) {
        if (command instanceof Runner<?> runner) {
            runner.work.byItself = true;
            ScheduledFuture<?> unused = super.schedule(runner, 0, TimeUnit.NANOSECONDS);
        } else {
            ScheduledFuture<?> unused = schedule(command, 0, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        Callable<?> work = Executors.callable(command);
        return super.schedule(() -> limited(work), delay, unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        Objects.requireNonNull(callable, "callable");
        return super.schedule(() -> limited(callable), delay, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        return super.scheduleAtFixedRate(limitedRuns(command), initialDelay, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        return super.scheduleWithFixedDelay(limitedRuns(command), initialDelay, delay, unit);
    }

    private <T> Race<T> race() {
        return new Race<>(this, (work, whenDone) -> new Runner<>(new Work<>(work), whenDone));
    }

    @Override
    public <T> T invokeAny(Collection<? extends Callable<T>> tasks) throws InterruptedException, ExecutionException {
        return this.<T>race().first(tasks);
    }

    @Override
    public <T> T invokeAny(Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        return this.<T>race().first(tasks, unit.toNanos(timeout));
    }
}
