package dev.weir.queue;

import dev.weir.Request;
import io.github.resilience4j.core.ContextPropagator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks on another executor, of any kind, under a limit: as many at once as a limiter grants, and as many wait as the
 * queue before that limiter holds. Both may be changed meanwhile, and shared with others. Thread-safe.
 *
 * <p>A task holds its permit until it has really ended: returned, thrown, or been cancelled <em>and</em> noticed. A task that
 * is cancelled before it runs returns permit and place in the queue at once. A future that is done has returned its permit.
 *
 * <p>The delegate's {@code execute} is called once for each task, so that a delegate that captures a context sees the
 * submitter's: by the submitter, and then a worker of the delegate waits for the permit; or, where the delegate is {@linkplain
 * Builder#capturingNothing known to capture nothing}, as soon as the task is granted. Submitting does not block, unless the
 * policy does, or the delegate runs tasks on the thread that calls it: then for the permit.
 *
 * <p>The {@link RejectionPolicy} decides about refused tasks. A task given to {@code execute} that throws does so on its
 * worker, as with any executor.
 *
 * <p>{@code shutdown} lets those that wait run. {@code shutdownNow} cancels all that have not ended, and returns those that
 * had not begun. Queue, limiter and delegate go on, unless the delegate is owned: then it is shut down after the last task. A
 * pool that somebody else shuts down by {@code shutdownNow} returns its tasks to that caller; they end here when they are
 * cancelled.
 */
public final class LimitedExecutor extends AbstractExecutorService {
    private final Roll roll;
    private final Dispatch dispatch;
    private final Context context;
    private final CompletionServices<Task<?>> services = new CompletionServices<>();
    private final @Nullable ExecutorService owned;

    private LimitedExecutor(Builder asked) {
        ExecutorService mine = asked.owned;
        owned = mine;
        roll = new Roll(mine == null ? () -> {} : mine::shutdown);
        dispatch = new Dispatch(asked, roll);
        context = new Context(asked.propagators, roll);
    }

    /** One that aborts what is refused, and lets tasks wait without a time-out. */
    public static LimitedExecutor of(Executor delegate, AdmissionQueue queue) {
        return builder(delegate, queue).build();
    }

    /**
     * An executor with other options than {@link #of}. A delegate that is a {@code ThreadPoolExecutor} and would discard tasks
     * silently gets a handler, when the executor is built, that discards alike and reports it.
     */
    public static Builder builder(Executor delegate, AdmissionQueue queue) {
        return new Builder(delegate, queue);
    }

    /** Options of an executor. Not thread-safe. */
    public static final class Builder {
        final Executor delegate;
        final AdmissionQueue queue;
        Request request = Request.ONE;
        Duration maxWait = Duration.ofNanos(Long.MAX_VALUE);
        RejectionPolicy policy = RejectionPolicy.abort();
        boolean capturesNothing;
        private List<? extends ContextPropagator<?>> propagators = List.of();
        private @Nullable ExecutorService owned;

        private Builder(Executor delegate, AdmissionQueue queue) {
            this.delegate = Objects.requireNonNull(delegate, "delegate");
            this.queue = Objects.requireNonNull(queue, "queue");
        }

        /** What each task asks for; {@link Request#ONE} unless told. */
        public Builder asking(Request each) {
            request = Objects.requireNonNull(each, "each");
            return this;
        }

        /**
         * How long a task may wait in the queue; zero or negative = not at all. Default: without a time-out. See {@link
         * RejectionPolicy#abort} for tasks without a future.
         */
        public Builder maxWait(Duration wait) {
            maxWait = Objects.requireNonNull(wait, "wait");
            return this;
        }

        /** What becomes of refused tasks; {@link RejectionPolicy#abort()} unless told. */
        public Builder rejecting(RejectionPolicy how) {
            policy = Objects.requireNonNull(how, "how");
            return this;
        }

        /**
         * What is carried from the submitter to the worker, over any delegate: retrieved when a task is submitted, copied
         * before it runs; afterwards the worker gets back what it had. One that throws is ignored and counted.
         */
        public Builder propagating(List<? extends ContextPropagator<?>> carriers) {
            propagators = List.copyOf(carriers);
            return this;
        }

        /**
         * Says that the delegate runs a task alike, whoever calls its {@code execute}: it neither captures a context from the
         * caller nor runs tasks on the caller's thread. It is then handed a task that had to wait when that has its permit, by
         * the thread that granted it, and no worker waits. Known of the JDK's pools and of {@link ResizableThreadPool}, unless
         * they run refused tasks on the caller's thread or belong to a subclass.
         */
        public Builder capturingNothing() {
            capturesNothing = true;
            return this;
        }

        /**
         * Shuts the delegate down with the executor.
         *
         * @throws IllegalStateException if the delegate is no {@code ExecutorService}
         */
        public Builder owningDelegate() {
            if (!(delegate instanceof ExecutorService service)) {
                throw new IllegalStateException("an owned delegate must be an ExecutorService, was " + delegate);
            }
            owned = service;
            return this;
        }

        /** The executor. */
        public LimitedExecutor build() {
            return new LimitedExecutor(this);
        }
    }

    /** What became of the tasks so far. */
    public ExecutorLedger ledger() {
        return roll.ledger();
    }

    @Override
    public void execute(Runnable command) {
        Objects.requireNonNull(command, "command");
        Task<?> within = services.within(command);
        if (within != null && within.submitIn(command)) {
            dispatch.submit(within);
        } else if (command instanceof Task<?> task && task.isOf(dispatch) && task.submit()) {
            dispatch.submit(task);
        } else {
            Task<?> bare = new Task<>(dispatch, context.around(Executors.callable(command)), command);
            bare.submit();
            dispatch.submit(bare);
        }
    }

    @Override
    public <T> Future<T> submit(Callable<T> task) {
        return submitted(task(task));
    }

    @Override
    public Future<?> submit(Runnable task) {
        return submitted(task(Executors.callable(task)));
    }

    @Override
    public <T> Future<T> submit(Runnable task, T result) {
        return submitted(task(Executors.callable(task, result)));
    }

    private <T> Task<T> submitted(Task<T> task) {
        task.submit();
        dispatch.submit(task);
        return task;
    }

    private <T> Task<T> task(Callable<T> work) {
        Objects.requireNonNull(work, "task");
        return new Task<>(dispatch, context.around(work), null);
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Callable<T> callable) {
        Task<T> made = task(callable);
        services.made(made);
        return made;
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Runnable runnable, T value) {
        return newTaskFor(Executors.callable(runnable, value));
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

    @Override
    public void shutdown() {
        roll.shut();
    }

    /**
     * Cancels every task that has not ended, interrupting those that run; they hold their permits until they notice.
     * Returns what had not begun: the runnables of {@code execute}, and the futures, cancelled, of the others.
     */
    @Override
    public List<Runnable> shutdownNow() {
        roll.stop();
        List<Runnable> never = new ArrayList<>();
        for (Task<?> task : roll.members()) {
            if (task.takeBack()) {
                task.cancel(false);
                roll.leave(task, Roll.Ending.CANCELLED);
                never.add(task.given());
            }
        }
        roll.members().forEach(running -> running.cancel(true));
        if (owned != null) {
            owned.shutdownNow();
        }
        return never;
    }

    @Override
    public boolean isShutdown() {
        return roll.isShut();
    }

    @Override
    public boolean isTerminated() {
        return roll.isOver() && (owned == null || owned.isTerminated());
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return roll.awaitOver(timeout, unit, owned);
    }
}
