package dev.weir.queue;

import dev.weir.Ticker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The first of several tasks to succeed; the others are cancelled. The JDK's own {@code invokeAny} hides each future in
 * another, and waits for ever for one that is refused in line.
 */
final class Race<T> {
    private static final long FOR_EVER = Long.MAX_VALUE;

    private final Executor executor;
    private final BlockingQueue<Future<T>> finished = new LinkedBlockingQueue<>();

    private final BiFunction<Callable<T>, Consumer<Future<T>>, FutureTask<T>> runner;

    /** The runner is a future that runs the task when executed, and tells when it is done. */
    Race(Executor executor, BiFunction<Callable<T>, Consumer<Future<T>>, FutureTask<T>> runner) {
        this.executor = executor;
        this.runner = runner;
    }

    T first(Collection<? extends Callable<T>> tasks) throws InterruptedException, ExecutionException {
        try {
            return first(tasks, FOR_EVER);
        } catch (TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    /* One after the other, as long as none has finished: a task that is quick, or run by its submitter, spares the rest. */
    T first(Collection<? extends Callable<T>> tasks, long nanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        Iterator<? extends Callable<T>> left = tasks.iterator();
        if (!left.hasNext()) {
            throw new IllegalArgumentException("tasks must not be empty");
        }
        long since = Ticker.system().read();
        List<Future<T>> running = new ArrayList<>();
        try {
            ExecutionException failed = null;
            for (int open = 0; left.hasNext() || open > 0; ) {
                Future<T> done = finished.poll();
                if (done == null && left.hasNext()) {
                    FutureTask<T> next = runner.apply(Objects.requireNonNull(left.next(), "task"), finished::add);
                    running.add(next);
                    executor.execute(next);
                    open++;
                    continue;
                }
                Future<T> ended = done != null ? done : awaited(nanos, since);
                open--;
                try {
                    return ended.get();
                } catch (ExecutionException e) {
                    failed = e;
                } catch (CancellationException e) {
                    failed = new ExecutionException(e);
                }
            }
            throw Objects.requireNonNull(failed);
        } finally {
            running.forEach(future -> future.cancel(true));
        }
    }

    private Future<T> awaited(long nanos, long since) throws InterruptedException, TimeoutException {
        if (nanos == FOR_EVER) {
            return finished.take();
        }
        @Nullable Future<T> ended = finished.poll(nanos - (Ticker.system().read() - since), TimeUnit.NANOSECONDS);
        if (ended == null) {
            throw new TimeoutException();
        }
        return ended;
    }
}
