package dev.weir.executor;

import dev.weir.Request;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.CallbackQueue;
import dev.weir.queue.QueueSpec;
import io.github.resilience4j.core.ContextPropagator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An executor that runs tasks on another executor, of any kind, under a limit: the limiter bounds how many run at once, and the
 * queue before it how many wait. Both may be changed at any time, and shared with others. Thread-safe.
 *
 * <pre>{@code
 * ExecutorService pool = Executors.newCachedThreadPool();
 * ManagedLimiter limiter = Limiters.of("reports", new Semaphore(2));
 * AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(50));
 * LimitedExecutor executor = LimitedExecutor.builder(pool, queue)
 *         .maxWait(Duration.ofSeconds(5))
 *         .rejecting(RejectionPolicy.abort())
 *         .owningDelegate()
 *         .build();
 *
 * Future<String> report = executor.submit(() -> load());
 * }</pre>
 *
 * <p>A task holds its permit until it has really ended: returned, thrown, or been cancelled <em>and</em> noticed. A task that
 * is cancelled before it runs releases its permit, or leaves the queue, at once. A future that is done has released its
 * permit.
 *
 * <p>The delegate's {@code execute} is called once for each task. If the delegate may capture a context, the submitter calls it,
 * so that the task runs in the submitter's context; then a worker of the delegate waits for the permit. If the delegate is
 * {@linkplain Builder#capturingNothing known to capture nothing}, it is called when the task is granted. Submitting does not
 * block, unless the policy blocks, or the delegate runs tasks on the calling thread, which then waits for the permit.
 *
 * <p>The {@link RejectionPolicy} decides about refused tasks. What a task of {@code execute} throws is thrown on its worker,
 * as with any executor.
 *
 * <p>{@code shutdown} lets waiting tasks run. {@code shutdownNow} cancels all tasks that have not ended, and returns those
 * that had not begun. Queue, limiter and delegate stay open, unless the delegate is owned: then it is shut down after the
 * last task. If other code calls {@code shutdownNow} on the delegate, that caller gets the delegate's tasks; they end here
 * when they are cancelled.
 */
public final class LimitedExecutor extends AbstractExecutorService {
    private final String name;
    private final TaskRegistry registry;
    private final TaskDispatcher dispatcher;
    private final CapturedContext context;
    /*
     * The last future that was created for each thread. An ExecutorCompletionService first has a future created for its client.
     * Next, on the same thread, it executes a command of its own that runs this future, but does not tell so.
     */
    private final ConcurrentHashMap<Thread, Task<?>> created = new ConcurrentHashMap<>();
    private final @Nullable ExecutorService owned;
    /* Why users may not end it; null = they may. */
    private final @Nullable String kept;

    private LimitedExecutor(LimitedExecutor same, String why) {
        name = same.name;
        registry = same.registry;
        dispatcher = same.dispatcher;
        context = same.context;
        owned = same.owned;
        kept = Objects.requireNonNull(why, "why");
    }

    private LimitedExecutor(Builder options) {
        kept = null;
        ExecutorService mine = options.owned;
        owned = mine;
        registry = new TaskRegistry(mine == null ? () -> {} : mine::shutdown, options.counts);
        name = options.queue.name();
        dispatcher = new TaskDispatcher(
                Delegate.of(options.delegate, options.capturesNothing),
                options.queue,
                options.request,
                options.maxWait,
                options.policy,
                registry);
        context = CapturedContext.of(options.propagators, registry::countFailure);
    }

    /** An executor that aborts refused tasks, and lets tasks wait without a timeout. */
    public static LimitedExecutor of(Executor delegate, AdmissionQueue queue) {
        return builder(delegate, queue).build();
    }

    /**
     * Options for an executor. A delegate that is a {@code ThreadPoolExecutor} and would discard tasks silently gets another
     * handler when the executor is built, which discards the same tasks and reports it.
     */
    public static Builder builder(Executor delegate, AdmissionQueue queue) {
        return new Builder(delegate, queue.callbacks(), () -> queue.spec().maxWait());
    }

    /**
     * Options for an executor over any queue that calls back, such as that of a limit whose queue may be replaced. Otherwise the
     * same as {@link #builder(Executor, AdmissionQueue)}.
     *
     * @param maxWait gives the time that {@link Builder#maxWaitOfQueue} means
     */
    public static Builder builder(Executor delegate, CallbackQueue queue, Supplier<Duration> maxWait) {
        return new Builder(delegate, queue, maxWait);
    }

    /** Options of an executor. Not thread-safe. */
    public static final class Builder {
        private static final Duration UNBOUNDED = Duration.ofNanos(Long.MAX_VALUE);

        private final Executor delegate;
        private final CallbackQueue queue;
        private final Supplier<Duration> maxWaitOfQueue;
        private Request request = Request.ONE;
        private Supplier<Duration> maxWait = () -> UNBOUNDED;
        private RejectionPolicy policy = RejectionPolicy.abort();
        private boolean capturesNothing;
        private List<? extends ContextPropagator<?>> propagators = List.of();
        private @Nullable ExecutorService owned;
        private @Nullable TaskCounts counts;

        private Builder(Executor delegate, CallbackQueue queue, Supplier<Duration> maxWaitOfQueue) {
            this.delegate = Objects.requireNonNull(delegate, "delegate");
            this.queue = Objects.requireNonNull(queue, "queue");
            this.maxWaitOfQueue = Objects.requireNonNull(maxWaitOfQueue, "maxWaitOfQueue");
        }

        /** The request of each task. Default: {@link Request#ONE}. */
        public Builder request(Request each) {
            request = Objects.requireNonNull(each, "each");
            return this;
        }

        /**
         * The time that a task may wait in the queue; zero or negative = not at all. Default: without a timeout. See {@link
         * RejectionPolicy#abort} for tasks without a future.
         */
        public Builder maxWait(Duration wait) {
            Objects.requireNonNull(wait, "wait");
            maxWait = () -> wait;
            return this;
        }

        /** A task may wait for the {@link QueueSpec#maxWait} that its queue has when the task is submitted. */
        public Builder maxWaitOfQueue() {
            maxWait = maxWaitOfQueue;
            return this;
        }

        /** Decides about refused tasks. Default: {@link RejectionPolicy#abort()}. */
        public Builder rejecting(RejectionPolicy how) {
            policy = Objects.requireNonNull(how, "how");
            return this;
        }

        /**
         * Propagates context from the submitter to the worker, over any delegate: retrieved when a task is submitted, copied
         * before it runs; afterwards the worker's own context is restored. A propagator that throws is ignored and counted.
         */
        public Builder propagating(List<? extends ContextPropagator<?>> carriers) {
            propagators = List.copyOf(carriers);
            return this;
        }

        /**
         * Declares that the delegate neither captures a context from the thread that calls its {@code execute} nor runs tasks
         * on it. A task that had to wait is then passed to it when the task has its permit, by the thread that grants it, and
         * no worker waits. Known of the JDK's pools and of {@link ResizableThreadPool}, unless they run refused tasks on the
         * calling thread or are of a subclass.
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

        /** Also counts its tasks in these, with those of other executors. Default: only in its own {@link #ledger}. */
        public Builder countingIn(TaskCounts all) {
            counts = Objects.requireNonNull(all, "all");
            return this;
        }

        /** Creates the executor. */
        public LimitedExecutor build() {
            return new LimitedExecutor(this);
        }
    }

    /**
     * The same executor for users who must not end it for others: its {@code shutdown} and {@code shutdownNow}, and so {@code
     * close}, throw an {@link IllegalStateException}. The owner of this executor still ends it for all.
     *
     * @param why the message of that exception: who ends the executor, and how
     */
    public LimitedExecutor keptOpen(String why) {
        return new LimitedExecutor(this, why);
    }

    private void checkMayEnd() {
        if (kept != null) {
            throw new IllegalStateException(kept);
        }
    }

    /** The number of tasks that were submitted, and of each way in which they ended. */
    public ExecutorLedger ledger() {
        return registry.ledger();
    }

    /**
     * Runs the command under a permit. Does not block, unless the policy does or the delegate runs it on this thread, which then
     * waits for at most {@link Builder#maxWait}.
     *
     * @throws java.util.concurrent.RejectedExecutionException if it is refused at once, or times out on this thread, and the
     *     policy aborts
     */
    @Override
    public void execute(Runnable command) {
        Objects.requireNonNull(command, "command");
        Task<?> last = created.isEmpty() ? null : created.remove(Thread.currentThread());
        if (last != null
                && command.getClass().getNestHost() == ExecutorCompletionService.class
                && last.submitIn(command)) {
            dispatcher.submit(last);
        } else if (command instanceof Task<?> task && task.host == dispatcher && task.submit()) {
            dispatcher.submit(task);
        } else {
            Task<?> bare = new Task<>(dispatcher, context.wrap(Executors.callable(command)), command);
            bare.submit();
            dispatcher.submit(bare);
        }
    }

    @Override
    public <T> Future<T> submit(Callable<T> work) {
        Task<T> task = task(work);
        task.submit();
        dispatcher.submit(task);
        return task;
    }

    @Override
    public Future<?> submit(Runnable work) {
        return submit(Executors.callable(work));
    }

    @Override
    public <T> Future<T> submit(Runnable work, T result) {
        return submit(Executors.callable(work, result));
    }

    private <T> Task<T> task(Callable<T> work) {
        Objects.requireNonNull(work, "task");
        return new Task<>(dispatcher, context.wrap(work), null);
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Callable<T> callable) {
        Task<T> future = task(callable);
        created.put(Thread.currentThread(), future);
        return future;
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Runnable runnable, T value) {
        return newTaskFor(Executors.callable(runnable, value));
    }

    /* If the time is over, it does not execute the future that it has created last. */
    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
            throws InterruptedException {
        try {
            return super.invokeAll(tasks, timeout, unit);
        } finally {
            created.remove(Thread.currentThread());
        }
    }

    /** @throws IllegalStateException if the executor is {@linkplain #keptOpen kept open} by its owner */
    @Override
    public void shutdown() {
        checkMayEnd();
        registry.shut();
    }

    /**
     * Cancels each task that has not ended, and interrupts those that run; they hold their permits until they notice. Returns
     * the tasks that had not begun: the runnables of {@code execute}, and the cancelled futures of the others.
     *
     * @throws IllegalStateException if the executor is {@linkplain #keptOpen kept open} by its owner
     */
    @Override
    public List<Runnable> shutdownNow() {
        checkMayEnd();
        registry.stop();
        List<Runnable> never = new ArrayList<>();
        for (Task<?> task : registry.tasks()) {
            if (task.withdraw()) {
                task.cancel(false);
                registry.leave(task, TaskCounts.End.CANCELLED);
                never.add(task.submitted());
            }
        }
        registry.tasks().forEach(running -> running.cancel(true));
        if (owned != null) {
            owned.shutdownNow();
        }
        return never;
    }

    @Override
    public boolean isShutdown() {
        return registry.isShut();
    }

    @Override
    public boolean isTerminated() {
        return registry.isTerminated() && (owned == null || owned.isTerminated());
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return registry.awaitTermination(timeout, unit, owned);
    }

    /** The name of the limiter, and how many tasks were submitted and have not ended. */
    @Override
    public String toString() {
        ExecutorLedger now = ledger();
        return "LimitedExecutor[" + name + ", " + now.submitted() + " submitted, " + now.open() + " open]";
    }

    /** The context of a submitter's thread, set on the worker for the time of a task. */
    private record CapturedContext(List<ContextPropagator<Object>> propagators, Runnable onFailure) {
        @SuppressWarnings("unchecked")
        static CapturedContext of(List<? extends ContextPropagator<?>> carriers, Runnable onFailure) {
            return new CapturedContext((List<ContextPropagator<Object>>) carriers, onFailure);
        }

        /** The same work, with the context that this thread has now. */
        <V> Callable<V> wrap(Callable<V> work) {
            if (propagators.isEmpty()) {
                return work;
            }
            List<Optional<Object>> captured = retrieved();
            return () -> {
                List<Optional<Object>> former = retrieved();
                set(captured);
                try {
                    return work.call();
                } finally {
                    set(former);
                }
            };
        }

        private List<Optional<Object>> retrieved() {
            return propagators.stream().map(this::retrieved).toList();
        }

        private Optional<Object> retrieved(ContextPropagator<Object> propagator) {
            try {
                return propagator.retrieve().get();
            } catch (Throwable t) {
                onFailure.run();
                return Optional.empty();
            }
        }

        private void set(List<Optional<Object>> values) {
            for (int i = 0; i < values.size(); i++) {
                ContextPropagator<Object> propagator = propagators.get(i);
                Optional<Object> value = values.get(i);
                try {
                    (value.isPresent() ? propagator.copy() : propagator.clear()).accept(value);
                } catch (Throwable t) {
                    onFailure.run();
                }
            }
        }
    }
}
