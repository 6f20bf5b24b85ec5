package dev.weir.queue;

import dev.weir.AsyncLimiter;
import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.discipline.Discipline;
import dev.weir.spi.Alarm;
import dev.weir.spi.Gate;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A wait queue before a limiter, for a rate or for concurrency. A request waits as a blocked thread, platform or virtual, or as a
 * future. Thread-safe.
 *
 * <pre>{@code
 * ManagedLimiter limiter = Limiters.of("db", new Semaphore(10));
 * QueueSpec spec = QueueSpec.of(100).by(new AdaptiveLifo(Duration.ofMillis(100)));
 * AdmissionQueue queue = AdmissionQueue.before(limiter, spec);
 *
 * String report = queue.call(Request.ONE, Duration.ofMillis(500), () -> load());
 * }</pre>
 *
 * <p>The order of waiting is a discipline, {@link QueueSpec#by given} to the specification:
 *
 * <ul>
 *   <li>{@link dev.weir.queue.discipline.Fifo Fifo}: first come, first served, the default
 *   <li>{@link dev.weir.queue.discipline.Lifo Lifo}: last come, first served
 *   <li>{@link dev.weir.queue.discipline.AdaptiveLifo AdaptiveLifo}: first come, first served, but last come, first served
 *       while the queue does not become empty
 *   <li>{@link dev.weir.queue.discipline.CoDel CoDel}: refuses waiters that have waited too long, around another discipline
 *   <li>{@link dev.weir.queue.discipline.Priority Priority}: by the priority of the request, with ageing
 *   <li>{@link dev.weir.queue.discipline.EarliestDeadline EarliestDeadline}: the waiter that times out first
 *   <li>{@link dev.weir.queue.discipline.FairShare FairShare}: tenants take turns, by the key of the request
 * </ul>
 *
 * <p>A fair queue grants in the order of its {@link Discipline}. No request overtakes,
 * also not during changes of the limiter: {@link #tryAcquire} refuses while others wait. An unfair queue tries new requests
 * first, which is faster. A waiter that has waited for {@link #HAND_OFF_AFTER} gets the next permit.
 *
 * <p>A request that the limiter can never grant, such as one for more permits than the limit, is refused as {@code NEVER}. That
 * happens on arrival, or when it is next if others wait before it. A limit may also fall below a request that already waits.
 * Then the request keeps its place and its deadline, and others go before it until the limit has room for it again. This
 * holds if the limit could have granted the request on its arrival, with nothing in flight or spent, or if the request has
 * been refused for another reason than {@code NEVER} since. It holds for a request for one permit only while the limit is 0,
 * as that of {@code Closed}: no other limit falls below 1.
 *
 * <p>If the limiter enforces its limit for a share of the requests only, each request is checked once: when the limiter
 * refuses it, or when it would have to wait behind others. If a smaller share comes into force, all waiters are checked.
 *
 * <p>A request is refused at once, as {@code TIMED_OUT}, if the limiter was asked on its arrival and would grant it only after
 * the timeout. A fair queue asks if no waiter goes before new requests, an unfair queue also while others wait. A
 * {@linkplain QueueSpec#predictive() predictive} queue also does so if the rate of the last grants shows that the request would
 * time out. Each rejection gives its reason and, where known, when to try again. It is counted once, here and by the limiter.
 */
public final class AdmissionQueue implements AsyncLimiter, QueueView, AutoCloseable {
    /** The time in which new requests may overtake a waiter in an unfair queue: 100 ms. The next permit is for that waiter. */
    public static final Duration HAND_OFF_AFTER = Granter.HAND_OFF_AFTER;

    private final String name;
    private final Gate gate;
    private final Ticker ticker;
    private final Dispatcher dispatcher;
    private final WaitList waitList;
    private final Admission admission;
    private final BlockedWait blockedWait;
    private final Registration registration;
    private final Object changes = new Object();

    private AdmissionQueue(Builder options) {
        name = options.name;
        gate = options.gate;
        ticker = options.ticker != null
                ? options.ticker
                : gate instanceof ManagedLimiter limiter ? limiter.ticker() : Ticker.system();
        dispatcher = new Dispatcher(name, gate, options.spec, ticker, options.alarm, options.executor);
        waitList = dispatcher.waitList;
        admission = new Admission(name, gate, ticker, dispatcher);
        blockedWait = new BlockedWait(dispatcher, ticker);
        registration = gate.whenReleased(dispatcher::permitsReturned);
    }

    /**
     * Creates a queue before a limiter, with its name, its clock and the default options of {@link Builder}. From the sample
     * {@code S06_WrapAnExecutor}:
     *
     * <pre>{@code
     * ManagedLimiter limiter = Limiters.of("reports", new Semaphore(2));
     * AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(2));
     * }</pre>
     *
     * @param limiter it stays open when the queue is closed; not null
     * @param spec the capacity, the discipline and the timeout, such as {@code QueueSpec.of(100).by(new Fifo())}; not null
     */
    public static AdmissionQueue before(ManagedLimiter limiter, QueueSpec spec) {
        return builder(limiter.name(), limiter, spec).build();
    }

    /** Options for a queue before a gate, with this name in its rejections and its snapshot. */
    public static Builder builder(String name, Gate gate, QueueSpec spec) {
        return new Builder(name, gate, spec);
    }

    /** Options of a queue. Not thread-safe. */
    public static final class Builder {
        private final String name;
        private final Gate gate;
        private final QueueSpec spec;
        private @Nullable Ticker ticker;
        private @Nullable Alarm alarm;
        private @Nullable Executor executor;

        private Builder(String name, Gate gate, QueueSpec spec) {
            this.name = Objects.requireNonNull(name, "name");
            this.gate = Objects.requireNonNull(gate, "gate");
            this.spec = Objects.requireNonNull(spec, "spec");
        }

        /**
         * The clock that measures waits. Default: that of the limiter, or {@link Ticker#system()} before another kind of
         * gate. A clock that is also an {@link Alarm} serves as both unless another alarm is given.
         */
        public Builder ticker(Ticker clock) {
            ticker = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /** Wakes the queue when futures time out or a rate has permits again. Default: {@link Alarm#system()}. */
        public Builder alarm(Alarm other) {
            alarm = Objects.requireNonNull(other, "alarm");
            return this;
        }

        /**
         * Completes futures, and so runs their dependent stages. Default: daemon threads of the queue, which end when idle;
         * while stages block them, more are started, so no decision waits for a stage of another. With {@code
         * Runnable::run} stages run on the thread that ended the wait. Timeouts do not depend on this executor.
         */
        public Builder executor(Executor other) {
            executor = Objects.requireNonNull(other, "executor");
            return this;
        }

        /** Creates the queue. It listens to the gate until it is closed. */
        public AdmissionQueue build() {
            return new AdmissionQueue(this);
        }
    }

    @Override
    public String name() {
        return name;
    }

    /**
     * Tries to acquire once, without waiting. A fair queue refuses while others wait whose requests the limit has room for.
     * After {@link #close} it refuses as {@code CANCELLED}. Does not block.
     */
    public Decision tryAcquire(Request request) {
        return Objects.requireNonNull(admission.counted(request, admission.tryAcquire(request, 0, gate.requestData())));
    }

    /**
     * As {@link #acquire(Request, Duration)}, waiting for {@link QueueSpec#maxWait}.
     *
     * @throws InterruptedException if the thread is interrupted; no permit is held then
     */
    public Decision acquire(Request request) throws InterruptedException {
        return acquire(request, spec().maxWait());
    }

    /** As {@link #acquireAsync(Request, Duration)}, waiting for {@link QueueSpec#maxWait}. */
    public CompletableFuture<Decision> acquireAsync(Request request) {
        return acquireAsync(request, spec().maxWait());
    }

    /**
     * As {@link #call(Request, Duration, Callable)}, waiting for {@link QueueSpec#maxWait}.
     *
     * @throws dev.weir.LimitExceededException if the request is refused
     * @throws InterruptedException if the thread is interrupted while it waits; the work is not started then
     * @throws Exception what the work throws
     */
    public <T> T call(Request request, Callable<? extends T> work) throws Exception {
        return call(request, spec().maxWait(), work);
    }

    /**
     * As {@link #run(Request, Duration, Runnable)}, waiting for {@link QueueSpec#maxWait}.
     *
     * @throws dev.weir.LimitExceededException if the request is refused
     * @throws InterruptedException if the thread is interrupted while it waits; the work is not started then
     */
    public void run(Request request, Runnable work) throws InterruptedException {
        run(request, spec().maxWait(), work);
    }

    /** As {@link #callAsync(Request, Duration, Supplier)}, waiting for {@link QueueSpec#maxWait}. */
    public <T> CompletableFuture<T> callAsync(Request request, Supplier<? extends CompletionStage<T>> work) {
        return callAsync(request, spec().maxWait(), work);
    }

    /**
     * Acquires, blocking the calling thread for {@code maxWait} or until the request's deadline, whichever is shorter. After
     * {@link #close} it refuses as {@code CANCELLED}.
     *
     * @param maxWait zero or negative tries once, without waiting
     * @throws InterruptedException if the thread is interrupted; no permit is held then
     */
    @Override
    public Decision acquire(Request request, Duration maxWait) throws InterruptedException {
        Objects.requireNonNull(maxWait, "maxWait");
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Object requestData = gate.requestData();
        Decision tried = admission.tryNew(request, requestData);
        if (tried instanceof Permit) {
            return tried;
        }
        long timeoutNanos = CallbackQueue.timeoutNanos(request, maxWait);
        Decision refusedAtOnce = admission.counted(request, admission.rejectionOf((Rejection) tried, timeoutNanos));
        if (refusedAtOnce != null) {
            return refusedAtOnce;
        }
        QueuedRequest waiter = admission.waiter(request, timeoutNanos, Thread.currentThread(), null, requestData);
        Rejection refused = admission.enter(waiter);
        if (refused != null) {
            return refused;
        }
        try {
            return blockedWait.await(waiter);
        } catch (RuntimeException | Error e) {
            admission.abandon(waiter);
            throw e;
        }
    }

    @Override
    public CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait) {
        long timeoutNanos = CallbackQueue.timeoutNanos(request, maxWait);
        Object requestData = gate.requestData();
        Decision atOnce = admission.counted(request, admission.tryAcquire(request, timeoutNanos, requestData));
        return atOnce != null
                ? CompletableFuture.completedFuture(atOnce)
                : admission.future(request, timeoutNanos, requestData);
    }

    /** This queue for executors, which wait without a thread. */
    public CallbackQueue callbacks() {
        return admission;
    }

    @Override
    public Registration observe(QueueObserver observer) {
        return dispatcher.completions.observe(observer);
    }

    /** The specification in force. */
    public QueueSpec spec() {
        return waitList.spec();
    }

    /**
     * Replaces the specification, for the requests that arrive from now on. Those that wait keep their place and their timeout to
     * the end, also beyond a smaller capacity and a shorter {@code maxWait}; another discipline orders them again, in order
     * of arrival. While more wait than the capacity allows, no request enters; with capacity 0, the last to wait are those of now. An
     * equal specification changes nothing. Does not block.
     *
     * @throws IllegalStateException if the queue is closed
     */
    public void reconfigure(QueueSpec next) {
        Objects.requireNonNull(next, "next");
        EndedWaits ended = new EndedWaits();
        synchronized (changes) {
            if (waitList.isClosed()) {
                throw new IllegalStateException("the queue before " + name + " is closed");
            }
            if (next.equals(spec())) {
                return;
            }
            waitList.reconfigure(next, ended);
        }
        dispatcher.dispatch();
        dispatcher.completions.complete(ended);
        dispatcher.completions.notifyObservers(QueueObserver::onReconfigured);
    }

    @Override
    public int length() {
        return waitList.length();
    }

    @Override
    public QueueSnapshot snapshot() {
        return waitList.snapshot(
                name, new QueuedRequest(Request.ONE, ticker.read(), Long.MAX_VALUE, null, null, null, any -> true));
    }

    /**
     * Refuses all waiters, and every later request, as {@code CANCELLED}. Granted permits stay valid. The queue then holds no
     * alarm, and its limiter has no reference to the queue. Idempotent.
     */
    @Override
    public void close() {
        EndedWaits ended = new EndedWaits();
        AlarmSetting pending;
        synchronized (changes) {
            pending = waitList.close(ended);
        }
        registration.close();
        if (pending != null) {
            pending.cancel();
        }
        dispatcher.completions.complete(ended);
    }

    /** The name, how many wait, and the specification. */
    @Override
    public String toString() {
        return "AdmissionQueue[" + name + ", " + waitList.length() + " waiting, " + spec() + "]";
    }
}
