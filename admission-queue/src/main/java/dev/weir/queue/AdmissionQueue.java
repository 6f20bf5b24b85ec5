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
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
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
    private final Object changes = new Object();
    private volatile QueueSpec spec;
    private volatile Rejection lastRefusal;
    private volatile int asks;

    /** An unfair queue's waiter that was woken to ask for itself and has not yet: one at a time. */
    private volatile @Nullable Waiter called;
    /** Newcomers are not asked for: the next permit is promised to a waiter, or the queue is closed. */
    private volatile boolean shut;

    private volatile boolean closed;

    private AdmissionQueue(Builder asked) {
        name = asked.name;
        gate = asked.gate;
        ticker = asked.ticker;
        executor = asked.executor;
        alarm = asked.alarm == null ? Alarm.on(executor) : asked.alarm;
        spec = asked.spec;
        lastRefusal = new Rejection(name, Reason.CONCURRENCY, 0, 0);
        line = new Line(spec, this::refusal);
        registration = gate.whenCapacity(this::capacity);
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
        private Executor executor = new CompletableFuture<>().defaultExecutor();

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

        /** Where futures are completed and alarms are seen to; that of {@link CompletableFuture} unless told. */
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
        return refused != null ? refused : await(waiter);
    }

    @Override
    public CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait) {
        long patience = patience(request, maxWait);
        Decision atOnce = atTheDoor(request, patience);
        if (atOnce != null) {
            return CompletableFuture.completedFuture(atOnce);
        }
        Answer answer = new Answer(this);
        Rejection refused = stand(request, patience, answer);
        return refused == null ? answer : CompletableFuture.completedFuture(refused);
    }

    /** Null once the request stands in line, to be answered; it may have been by then. */
    @Nullable
    Rejection stand(Request request, long patience, Answer answer) {
        Waiter waiter = new Waiter(request, ticker.read(), patience, null, answer);
        answer.of(waiter);
        Rejection refused = entered(waiter);
        if (refused == null) {
            ask();
            setAlarm();
        }
        return refused;
    }

    static long patience(Request request, Duration maxWait) {
        long allowed = maxWait.isNegative() ? 0 : saturatedNanos(maxWait);
        return Math.min(allowed, request.deadlineNanos());
    }

    private static long saturatedNanos(Duration duration) {
        return duration.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0 ? Long.MAX_VALUE : duration.toNanos();
    }

    /** The answer to who is not made to wait, or null. */
    @Nullable
    Decision atTheDoor(Request request, long patience) {
        if (shut || (line.length() > 0 && spec.isFair())) {
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
        answer(ended);
        return refused == null ? null : refusal(refused);
    }

    /* Interrupt and grant meet at the waiter's end: who was granted keeps the flag, who was interrupted holds nothing. */
    private Decision await(Waiter waiter) throws InterruptedException {
        if (!spec.isFair()) {
            waiter.askAfter = Math.min(HAND_OVER, interval(1));
        }
        ask();
        for (Decision ending = waiter.ending(); ; ending = waiter.ending()) {
            if (ending != null) {
                return ending;
            }
            if (Thread.interrupted()) {
                if (waiter.end(refusal(Reason.CANCELLED))) {
                    left(waiter);
                    throw new InterruptedException();
                }
                Thread.currentThread().interrupt();
            } else {
                waitOn(waiter, ticker.read() - waiter.since);
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
            called = null;
            askForItself(waiter, waited);
        } else {
            LockSupport.parkNanos(this, Math.min(waiter.patience, waiter.askAfter) - waited);
        }
    }

    /* In an unfair queue, where a thread that is woken only to find its permit taken costs less than a permit that lies
    idle until the thread has woken. */
    private void askForItself(Waiter waiter, long waited) {
        List<Waiter> ended = new ArrayList<>(0);
        if (askFor(waiter, waiter.since + waited, ended)) {
            answer(ended);
            ask();
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
        line.leave(waiter, ticker.read());
        tell(waiter);
        boolean wasCalled = called == waiter;
        if (wasCalled) {
            called = null;
        }
        if (wasCalled || waiter.refused || !spec.isFair()) {
            ask();
        }
    }

    /** Whether anybody waits. */
    boolean isWaitedFor() {
        return line.length() > 0;
    }

    /** Who of these has waited longest; the test must be quick. */
    @Nullable
    Waiter oldest(Predicate<Waiter> these) {
        return line.oldest(these);
    }

    /** Hears when somebody may be let in. */
    Registration whenCapacity(Runnable heard) {
        return gate.whenCapacity(heard);
    }

    private void capacity() {
        if (line.length() > 0 && called == null) {
            ask();
        }
    }

    private void ask() {
        if ((int) ASKS.getAndAdd(this, 1) != 0) {
            return;
        }
        List<Waiter> ended = new ArrayList<>(0);
        boolean later = false;
        try {
            int seen;
            do {
                seen = asks;
                later |= spec.isFair() ? askInOrder(ended) : askUnfairly(ended);
            } while ((int) ASKS.getAndAdd(this, -seen) != seen);
        } catch (Throwable t) {
            asks = 0;
            line.failed();
            ring(RETRY);
        } finally {
            answer(ended);
        }
        if (later) {
            setAlarm();
        }
    }

    /** Whether an alarm is wished for. */
    private boolean askInOrder(List<Waiter> ended) {
        boolean later = false;
        for (; ; ) {
            long now = ticker.read();
            Waiter waiter = line.next(now, ended);
            while (waiter != null && !askFor(waiter, now, ended)) {
                later |= waiter.answer != null;
                waiter = line.after(waiter);
            }
            if (waiter == null) {
                return later;
            }
        }
    }

    private boolean askUnfairly(List<Waiter> ended) {
        for (; ; ) {
            long now = ticker.read();
            Waiter next = line.next(now, ended);
            Waiter oldest = line.oldest(waiter -> true);
            boolean promised = oldest != null && now - oldest.since >= HAND_OVER;
            shut = promised || closed;
            if (next == null || oldest == null) {
                return false;
            }
            Waiter waiter = promised ? oldest : next;
            boolean later = !promised && oldest.answer != null;
            if (later) {
                line.askAgain(oldest.since + HAND_OVER);
            }
            if (!promised && waiter.thread != null) {
                if (called != null || calls(waiter)) {
                    return later;
                }
            } else if (!askFor(waiter, now, ended)) {
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
        Decision decision = waiter.ending() == null ? attempt(waiter.request) : lastRefusal;
        boolean over = waiter.ending() != null;
        if (decision instanceof Rejection refused && !over && !isFinal(refused)) {
            refused(waiter, refused, now);
            return false;
        }
        boolean mine = !over && waiter.end(decision);
        line.leave(waiter, now);
        if (mine) {
            if (waiter.thread != null) {
                LockSupport.unpark(waiter.thread);
            }
            ended.add(waiter);
        } else if (decision instanceof Permit permit) {
            permit.release(Outcome.CANCELLED);
        }
        return true;
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
        waiter.refused = true;
        long wait = refused.retryAfterNanos();
        long waited = now - waiter.since;
        if (!spec.isFair() && waited < HAND_OVER) {
            long again = wait > 0 ? wait : interval(++waiter.refusals);
            wait = Math.min(again, HAND_OVER - waited);
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
        long wait = line.nextAlarm(ticker.read());
        if (wait > 0) {
            ring(wait);
        }
    }

    private void ring(long wait) {
        try {
            alarm.ring(wait, this::rung);
        } catch (Throwable t) {
            line.failed();
        }
    }

    private void rung() {
        List<Waiter> ended = new ArrayList<>();
        boolean asking = line.rung(ticker.read(), ended);
        answer(ended);
        if (asking) {
            ask();
        }
        setAlarm();
    }

    /** Tells those who were ended by somebody else; threads that were granted have been woken before. */
    private void answer(List<Waiter> ended) {
        for (int i = 0; i < ended.size(); i++) {
            Waiter waiter = ended.get(i);
            if (waiter.answer != null) {
                complete(waiter.answer, Objects.requireNonNull(waiter.ending()));
            } else if (waiter.ending() instanceof Rejection) {
                LockSupport.unpark(waiter.thread);
            }
            tell(waiter);
        }
    }

    private void complete(Answer answer, Decision decision) {
        try {
            if (decision instanceof Permit && answer.receiver != null) {
                answer.give(decision);
            } else {
                executor.execute(() -> answer.give(decision));
            }
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
        long waited = Math.max(0, ticker.read() - waiter.since);
        for (QueueObserver observer : observers) {
            try {
                observer.onWaited(waiter.request, ending, waited);
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
            shut = false;
        }
        answer(ended);
        ask();
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
            shut = true;
            lastRefusal = refusal(Reason.CANCELLED);
            line.close(ended);
        }
        registration.close();
        answer(ended);
    }
}
