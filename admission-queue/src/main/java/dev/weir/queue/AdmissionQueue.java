package dev.weir.queue;

import dev.weir.AsyncLimiter;
import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Gate;
import dev.weir.spi.Registration;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Patience before a limiter: who is not admitted at once may wait, for a rate or for concurrency, as a blocked thread,
 * platform or virtual, or as a future. Thread-safe.
 *
 * <p>A fair queue admits in the order its {@link Discipline} says, first come first served unless another is chosen:
 * nobody overtakes, across changes of the limiter too; {@link #tryAcquire} refuses while anybody waits. An unfair one
 * asks newcomers first and is faster by that; a waiter is handed the next permit once he has waited for
 * {@link #HANDED_OVER_AFTER}.
 *
 * <p>Who would wait in vain is refused at once: where the limiter says how long the wait is, or the pace of the line
 * shows it. Every refusal carries its reason and, where known, when to ask again.
 */
public final class AdmissionQueue implements AsyncLimiter, AutoCloseable {
    /*
     * Nobody waits inside the limiter. Whatever may let somebody in (a permit came home, the limit was raised, the
     * strategy was swapped, a waiter came or left, an alarm rang) calls `ask`, which asks the gate for one waiter after
     * the other until it refuses. One thread asks at a time; who comes meanwhile leaves word, and the one who asks goes
     * round again:
     *
     *     A                              B
     *     asks: 0 -> 1
     *     asks the gate: refused
     *                                    returns capacity
     *                                    asks: 1 -> 2: leaves it to A
     *     asks: 2 - 1, not 0:
     *     asks the gate again
     *
     * No wake-up is lost between three either: a waiter is counted in `length` before it asks; who returns capacity
     * reads `length` afterwards; and either of them finds the one who asks still at it, or asks.
     *
     *     waiter                         releaser                       asker
     *     length := + 1                  returns capacity               asks the gate
     *     ask: counted, or asks          reads length: ask: likewise    asks - seen: 0, or once more
     *
     * The gate, observers and futures are called without any lock. A permit that was got for a waiter who ended in the
     * meantime returns as cancelled, which asks again.
     */

    /** For how long, at most, newcomers may overtake a waiter in an unfair queue; the next permit is his. */
    public static final Duration HANDED_OVER_AFTER = Duration.ofMillis(100);

    private static final long HAND_OVER = HANDED_OVER_AFTER.toNanos();
    private static final long RETRY = 1_000_000;
    private static final int ENOUGH = 64;
    private static final int TRIES = Runtime.getRuntime().availableProcessors() > 1 ? 8 : 1;
    private static final int PAUSES = 128;
    private static final int WORKERS = 4;
    private static final VarHandle ASKS;

    static {
        try {
            ASKS = MethodHandles.lookup().findVarHandle(AdmissionQueue.class, "asks", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final String name;
    private final Gate gate;
    private final Ticker ticker;
    private final Alarm alarm;
    private final Executor executor;
    private final Registration registration;
    private final List<QueueObserver> observers = new CopyOnWriteArrayList<>();
    private final Line line;
    private final Turns turns = new Turns();
    private final Object changes = new Object();
    private volatile QueueSpec spec;
    private volatile Rejection lastRefusal;
    private volatile int asks;

    /** An unfair queue's waiter that was woken to ask for itself and has not yet: one at a time. */
    private volatile @Nullable Waiter called;
    /** In an unfair queue newcomers are not asked for: the next permit is somebody's who has waited long. */
    private volatile boolean promised;

    private volatile boolean closed;
    private volatile boolean retrying;

    private AdmissionQueue(Builder asked) {
        name = asked.name;
        gate = asked.gate;
        ticker = asked.ticker;
        executor = asked.executor == null ? pool() : asked.executor;
        alarm = asked.alarm == null ? Alarm.on(executor) : asked.alarm;
        spec = asked.spec;
        lastRefusal = new Rejection(name, Reason.CONCURRENCY, 0, 0);
        line = new Line(spec, this::refusal);
        registration = gate.whenCapacity(this::capacity);
    }

    private static Executor pool() {
        return ForkJoinPool.getCommonPoolParallelism() > 1
                ? ForkJoinPool.commonPool()
                : new ForkJoinPool(
                        WORKERS,
                        ForkJoinPool.defaultForkJoinWorkerThreadFactory,
                        null,
                        true,
                        0,
                        WORKERS,
                        1,
                        null,
                        1,
                        TimeUnit.SECONDS);
    }

    /** A queue before this limiter. */
    public static AdmissionQueue before(ManagedLimiter limiter, QueueSpec spec) {
        return builder(limiter.name(), limiter, spec).build();
    }

    /** A queue before a gate, under this name. */
    public static Builder builder(String name, Gate gate, QueueSpec spec) {
        return new Builder(name, gate, spec);
    }

    /** What a queue is made of; not thread-safe. */
    public static final class Builder {
        private final String name;
        private final Gate gate;
        private final QueueSpec spec;
        private Ticker ticker = Ticker.system();
        private @Nullable Alarm alarm;
        private @Nullable Executor executor;

        private Builder(String name, Gate gate, QueueSpec spec) {
            this.name = Objects.requireNonNull(name, "name");
            this.gate = Objects.requireNonNull(gate, "gate");
            this.spec = Objects.requireNonNull(spec, "spec");
        }

        /** The clock by which waits are measured; {@link Ticker#system()} unless told. */
        public Builder ticker(Ticker clock) {
            ticker = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /** What rings when futures time out or a rate has permits again; the JDK's timer unless told. */
        public Builder alarm(Alarm other) {
            alarm = Objects.requireNonNull(other, "alarm");
            return this;
        }

        /**
         * Where futures are completed and alarms are seen to. Unless told, the common pool or, where that has one thread,
         * a pool of a few that end when idle: as many dependent stages may block there before others are kept waiting for
         * their answers. With {@code Runnable::run} stages run on the thread that let them in.
         */
        public Builder executor(Executor other) {
            executor = Objects.requireNonNull(other, "executor");
            return this;
        }

        /** The queue; it listens to the gate until it is closed. */
        public AdmissionQueue build() {
            return new AdmissionQueue(this);
        }
    }

    /** The name of the limiter it stands before. */
    public String name() {
        return name;
    }

    /** Asks once, without waiting. A fair queue refuses while anybody waits. Does not block. */
    public Decision tryAcquire(Request request) {
        Decision atOnce = atTheDoor(request, 0);
        return atOnce == null ? lastRefusal : atOnce;
    }

    @Override
    public Decision acquire(Request request, Duration maxWait) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        long patience = patience(request, maxWait);
        Decision atOnce = atTheDoor(request, patience);
        if (atOnce != null) {
            return atOnce;
        }
        Waiter waiter = new Waiter(request, ticker.read(), patience, Thread.currentThread(), null);
        Rejection refused = entered(waiter);
        if (refused != null) {
            return refused;
        }
        try {
            return await(waiter);
        } catch (RuntimeException | Error e) {
            abandon(waiter);
            throw e;
        }
    }

    @Override
    public CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait) {
        long patience = patience(request, maxWait);
        Decision atOnce = atTheDoor(request, patience);
        if (atOnce != null) {
            return CompletableFuture.completedFuture(atOnce);
        }
        Answer answer = new Answer(this);
        Waiter waiter = new Waiter(request, ticker.read(), patience, null, answer);
        answer.of(waiter);
        Rejection refused = entered(waiter);
        if (refused != null) {
            return CompletableFuture.completedFuture(refused);
        }
        try {
            if (!waiter.isBehind) {
                ask();
            }
            if (waiter.alarmIn > 0) {
                ring(waiter.alarmIn, this::rung);
            }
        } catch (RuntimeException | Error e) {
            abandon(waiter);
            throw e;
        }
        return answer;
    }

    /** For one whose caller hears of an error instead of his decision. */
    private void abandon(Waiter waiter) {
        if (waiter.end(lastRefusal)) {
            left(waiter);
        } else if ((waiter.answer == null || !waiter.answer.cancel(false))
                && waiter.ending() instanceof Permit permit) {
            permit.release(Outcome.CANCELLED);
        }
    }

    private static long patience(Request request, Duration maxWait) {
        long allowed = maxWait.isNegative() ? 0 : saturatedNanos(maxWait);
        return Math.min(allowed, request.deadlineNanos());
    }

    private static long saturatedNanos(Duration duration) {
        return duration.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0 ? Long.MAX_VALUE : duration.toNanos();
    }

    /** The answer to who is not made to wait, or null. */
    private @Nullable Decision atTheDoor(Request request, long patience) {
        if (closed) {
            return patience > 0 ? null : refusal(Reason.CANCELLED);
        }
        if (spec.isFair() ? line.length() > 0 : promised) {
            return patience > 0 ? null : lastRefusal;
        }
        Decision decision = gate.attempt(request);
        if (!(decision instanceof Rejection refused)) {
            return decision;
        }
        if (isFinal(refused)) {
            return refused;
        }
        lastRefusal = refused;
        if (patience <= 0) {
            return refused;
        }
        if (refused.retryAfterNanos() > patience) {
            line.refused(Reason.TIMED_OUT);
            return refusal(Reason.TIMED_OUT);
        }
        return null;
    }

    private static boolean isFinal(Rejection refused) {
        return refused.reason() == Reason.NEVER || refused.reason() == Reason.CANCELLED;
    }

    private Rejection refusal(Reason reason) {
        Rejection last = lastRefusal;
        return new Rejection(name, reason, reason == Reason.CANCELLED ? 0 : last.retryAfterNanos(), last.limit());
    }

    /** Null once the waiter is in the line. */
    private @Nullable Rejection entered(Waiter waiter) {
        List<Waiter> ended = new ArrayList<>(0);
        Reason refused = line.enter(waiter, ended);
        if (refused != null && !ended.isEmpty()) {
            ask();
        }
        answer(ended);
        return refused == null ? null : refusal(refused);
    }

    /* Interrupt and grant meet at the waiter's end: who was granted keeps the flag, who was interrupted holds nothing. */
    private Decision await(Waiter waiter) throws InterruptedException {
        if (!spec.isFair()) {
            waiter.askAfter = Math.min(HAND_OVER, interval(1));
        }
        if (!waiter.isBehind) {
            ask();
        }
        for (Decision ending = waiter.ending(); ; ending = waiter.ending()) {
            if (ending != null) {
                if (called == waiter) {
                    called = null;
                    ask();
                }
                return ending;
            }
            if (Thread.interrupted()) {
                if (waiter.end(refusal(Reason.CANCELLED))) {
                    left(waiter);
                    throw new InterruptedException();
                }
                Thread.currentThread().interrupt();
            } else {
                waitOn(waiter, Math.max(0, ticker.read() - waiter.since));
            }
        }
    }

    private void waitOn(Waiter waiter, long waited) {
        if (waited >= waiter.patience) {
            if (waiter.end(refusal(Reason.TIMED_OUT))) {
                left(waiter);
            }
        } else if (waited >= waiter.askAfter) {
            waiter.askAfter = Long.MAX_VALUE;
            if (spec.isFair() || waited >= HAND_OVER) {
                ask();
            } else {
                askForItself(waiter, waited);
            }
        } else if (called == waiter) {
            answersCall(waiter);
        } else {
            LockSupport.parkNanos(this, Math.min(waiter.patience, waiter.askAfter) - waited);
        }
    }

    /* In an unfair queue, where a thread that is woken only to find its permit taken costs less than a permit that lies
    idle until the thread has woken. Nobody else is called while it tries, so it tries for a while: being called again
    costs both sides more. The last try comes after the call is over, for whoever returned capacity before did not call. */
    private void answersCall(Waiter waiter) {
        for (int i = 0; i < TRIES && waiter.ending() == null; i++) {
            if (attempt(waiter.request) instanceof Permit permit) {
                List<Waiter> ended = new ArrayList<>(1);
                ends(waiter, permit, ticker.read(), ended);
                answer(ended);
                return;
            }
            for (int j = 0; j < PAUSES; j++) {
                Thread.onSpinWait();
            }
        }
        called = null;
        askForItself(waiter, Math.max(0, ticker.read() - waiter.since));
    }

    private void askForItself(Waiter waiter, long waited) {
        List<Waiter> ended = new ArrayList<>(0);
        if (spec.isFair() || askFor(waiter, waiter.since + waited, ended)) {
            ask();
            answer(ended);
        }
    }

    private long interval(int refusals) {
        try {
            Long millis = Objects.requireNonNull(spec.askingAgain()).apply(refusals);
            return Math.max(1, Math.min(millis, HANDED_OVER_AFTER.toMillis())) * 1_000_000;
        } catch (Throwable t) {
            line.failed();
            return HAND_OVER;
        }
    }

    /** Takes back the request of one whose future was ended by its owner. */
    void withdraw(Waiter waiter) {
        if (waiter.end(refusal(Reason.CANCELLED))) {
            left(waiter);
        }
    }

    /** For one that ended by itself. */
    private void left(Waiter waiter) {
        line.leave(waiter, waiter.since);
        boolean wasCalled = called == waiter;
        if (wasCalled) {
            called = null;
        }
        if (wasCalled || waiter.asked || !spec.isFair()) {
            ask();
        }
        tell(waiter);
    }

    private void capacity() {
        if (line.length() > 0 && called == null) {
            ask();
        }
    }

    private void ask() {
        List<Waiter> ended = new ArrayList<>(0);
        while ((int) ASKS.getAndAdd(this, 1) == 0 && !askedForAll(ended)) {
            ended = new ArrayList<>(ENOUGH);
        }
    }

    /** False if those who were ended have been answered before all were asked for. */
    private boolean askedForAll(List<Waiter> ended) {
        boolean later = false;
        boolean enough = false;
        try {
            int seen;
            do {
                seen = asks;
                later |= spec.isFair() ? askInOrder(ended) : askUnfairly(ended);
                enough = ended.size() >= ENOUGH;
            } while (!enough && (int) ASKS.getAndAdd(this, -seen) != seen);
            if (enough) {
                asks = 0;
            }
            if (later) {
                setAlarm();
            }
        } catch (Throwable t) {
            asks = 0;
            retry();
        } finally {
            answer(ended);
        }
        return !enough;
    }

    /** Somewhere else, where the stack is not at its end and the clock may go again. */
    private void retry() {
        if (retrying) {
            return;
        }
        retrying = true;
        try {
            line.failed();
            ring(RETRY, () -> {
                retrying = false;
                seeTo(line.length() > 0);
            });
        } catch (Throwable t) {
            retrying = false;
            throw t;
        }
    }

    /** Whether an alarm is wished for. */
    private boolean askInOrder(List<Waiter> ended) {
        boolean later = false;
        long now = ticker.read();
        Waiter waiter = line.next(now, ended);
        int lanes = line.length();
        while (waiter != null && ended.size() < ENOUGH) {
            if (askFor(waiter, now, ended)) {
                waiter = line.next(now, ended);
                lanes = line.length();
            } else {
                later |= waiter.answer != null;
                waiter = --lanes > 0 ? line.after(waiter) : null;
            }
        }
        return later;
    }

    private boolean askUnfairly(List<Waiter> ended) {
        for (; ; ) {
            long now = ticker.read();
            Waiter next = line.next(now, ended);
            Waiter oldest = line.oldest();
            boolean his = oldest != null && now - oldest.since >= HAND_OVER;
            promised = his;
            if (next == null || oldest == null) {
                return false;
            }
            Waiter waiter = his ? oldest : next;
            boolean later = !his && oldest.answer != null;
            if (later) {
                line.askAgain(oldest.since + HAND_OVER);
            }
            if (!his && waiter.thread != null) {
                if (called != null || calls(waiter)) {
                    return later;
                }
            } else if (!askFor(waiter, now, ended) || ended.size() >= ENOUGH) {
                return later || waiter.answer != null;
            }
        }
    }

    /*
     *     asker                        waiter
     *     called := waiter             ends
     *     reads its ending             reads called
     *
     * One of the two sees the other, and takes the call back.
     */
    private boolean calls(Waiter waiter) {
        called = waiter;
        if (waiter.ending() != null) {
            called = null;
            return false;
        }
        LockSupport.unpark(waiter.thread);
        return true;
    }

    /** Whether the waiter is out of the line. */
    private boolean askFor(Waiter waiter, long now, List<Waiter> ended) {
        waiter.asked = true;
        Decision decision = waiter.ending() == null ? attempt(waiter.request) : lastRefusal;
        boolean over = waiter.ending() != null;
        if (decision instanceof Rejection refused && !over && !isFinal(refused)) {
            refused(waiter, refused, now);
            return false;
        }
        ends(waiter, decision, now, ended);
        return true;
    }

    private void ends(Waiter waiter, Decision decision, long now, List<Waiter> ended) {
        boolean mine = waiter.end(decision);
        line.leave(waiter, now);
        if (mine) {
            if (waiter.thread != null && waiter.thread != Thread.currentThread()) {
                LockSupport.unpark(waiter.thread);
            }
            ended.add(waiter);
        } else if (decision instanceof Permit permit) {
            permit.release(Outcome.CANCELLED);
        }
    }

    private Decision attempt(Request request) {
        try {
            return gate.attempt(request);
        } catch (RuntimeException e) {
            line.failed();
            return refusal(Reason.CANCELLED);
        }
    }

    /* A blocked thread sees to asking again itself; for a future there is the alarm. */
    private void refused(Waiter waiter, Rejection refused, long now) {
        lastRefusal = refused;
        long wait = refused.retryAfterNanos();
        long waited = now - waiter.since;
        if (!spec.isFair() && waited < HAND_OVER) {
            wait = Math.min(Math.max(wait, interval(++waiter.refusals)), HAND_OVER - waited);
        }
        if (wait <= 0) {
            return;
        }
        if (waiter.answer != null) {
            line.askAgain(now + wait);
            return;
        }
        waiter.askAfter = waited + wait < 0 ? Long.MAX_VALUE : waited + wait;
        if (waiter.thread != Thread.currentThread()) {
            LockSupport.unpark(waiter.thread);
        }
    }

    private void setAlarm() {
        long wait = line.alarmIn(ticker.read());
        if (wait > 0) {
            ring(wait, this::rung);
        }
    }

    private void ring(long wait, Runnable action) {
        try {
            alarm.ring(wait, action);
        } catch (Throwable t) {
            line.failed();
            Alarm.on(ForkJoinPool.commonPool()).ring(wait, action);
        }
    }

    private void rung() {
        line.alarmRang();
        seeTo(false);
    }

    private void seeTo(boolean asking) {
        List<Waiter> ended = new ArrayList<>();
        try {
            if (line.endThoseDue(ticker.read(), ended) || asking) {
                ask();
            }
            setAlarm();
        } catch (Throwable t) {
            retry();
        } finally {
            answer(ended);
        }
    }

    /** Tells those who were ended by somebody else; threads that were granted have been woken before. */
    private void answer(List<Waiter> ended) {
        if (!ended.isEmpty()) {
            turns.take(ended, this::answer);
        }
    }

    private void answer(Waiter waiter) {
        if (waiter.answer != null) {
            complete(waiter.answer, Objects.requireNonNull(waiter.ending()));
        } else if (waiter.ending() instanceof Rejection) {
            LockSupport.unpark(waiter.thread);
        }
        tell(waiter);
    }

    private void complete(Answer answer, Decision decision) {
        try {
            executor.execute(() -> answer.give(decision));
        } catch (Throwable t) {
            line.failed();
            answer.give(decision);
        }
    }

    private void tell(Waiter waiter) {
        Decision ending = waiter.ending();
        if (observers.isEmpty() || ending == null) {
            return;
        }
        for (QueueObserver observer : observers) {
            try {
                observer.onWaited(waiter.request, ending, Math.max(0, ticker.read() - waiter.since));
            } catch (Throwable t) {
                line.failed();
            }
        }
    }

    /** Tells this observer how each wait ends, until the registration is closed. */
    public Registration observe(QueueObserver observer) {
        observers.add(Objects.requireNonNull(observer, "observer"));
        return () -> observers.remove(observer);
    }

    /** What the line is like at present. */
    public QueueSpec spec() {
        return spec;
    }

    /**
     * Another line for the same limiter. Those who wait move in order of arrival, and keep their places in time; whom it
     * has no room for is refused {@code QUEUE_FULL}, the newest first. An equal specification changes nothing.
     *
     * @throws IllegalStateException if the queue is closed
     */
    public void reconfigure(QueueSpec next) {
        Objects.requireNonNull(next, "next");
        List<Waiter> ended = new ArrayList<>();
        synchronized (changes) {
            if (closed) {
                throw new IllegalStateException("the queue before " + name + " is closed");
            }
            if (next.equals(spec)) {
                return;
            }
            line.become(next, ended);
            spec = next;
        }
        ask();
        answer(ended);
    }

    /** The figures of this instant. */
    public QueueSnapshot snapshot() {
        long now = ticker.read();
        return line.snapshot(name, now, new Waiter(Request.ONE, now, Long.MAX_VALUE, null, null));
    }

    /** Refuses those who wait, and everybody who comes, as cancelled. Permits that are out stay good. Idempotent. */
    @Override
    public void close() {
        List<Waiter> ended = new ArrayList<>();
        synchronized (changes) {
            closed = true;
            line.close(ended);
        }
        registration.close();
        answer(ended);
    }
}
