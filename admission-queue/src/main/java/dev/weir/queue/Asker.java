package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Gate;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Asks the gate for those who wait, whenever one of them may be let in. */
final class Asker {
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

    private static final long HAND_OVER = AdmissionQueue.HANDED_OVER_AFTER.toNanos();
    private static final long RETRY = 1_000_000;
    private static final int ENOUGH = 64;
    private static final long BREATH = 100_000;
    private static final long TOO_SHORT_TO_SLEEP = 1_000;
    private static final VarHandle ASKS;

    static {
        try {
            ASKS = MethodHandles.lookup().findVarHandle(Asker.class, "asks", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final String name;
    private final Gate gate;
    private final Ticker ticker;
    private final Alarm alarm;
    private final Line line;
    private final Answers answers;
    private volatile QueueSpec spec;
    private volatile Rejection lastRefusal;
    private volatile int asks;

    /** An unfair queue's waiter that was woken to ask for itself and has not yet: one at a time. */
    private volatile @Nullable Waiter called;
    /** In an unfair queue newcomers are not asked for: the next permit is somebody's who has waited long. */
    private volatile boolean promised;

    private volatile boolean retrying;

    /* Made beforehand: to link a lambda takes more stack than may be left where it is wanted. */
    private final Runnable again = this::askAfterAll;

    Asker(AdmissionQueue.Builder asked, Executor executor, Alarm alarm) {
        this.name = asked.name;
        this.gate = asked.gate;
        this.ticker = asked.ticker;
        this.spec = asked.spec;
        this.alarm = alarm;
        this.lastRefusal = new Rejection(name, Reason.CONCURRENCY, 0, 0);
        this.line = new Line(spec, this::refusal);
        this.answers = new Answers(executor, ticker, line);
    }

    Line line() {
        return line;
    }

    Answers answers() {
        return answers;
    }

    QueueSpec spec() {
        return spec;
    }

    void spec(QueueSpec next) {
        spec = next;
    }

    Rejection lastRefusal() {
        return lastRefusal;
    }

    Rejection refusal(Reason reason) {
        Rejection last = lastRefusal;
        return new Rejection(name, reason, reason == Reason.CANCELLED ? 0 : last.retryAfterNanos(), last.limit());
    }

    /** Asks for a newcomer, if he may be asked for before those who wait; null if not. */
    @Nullable
    Decision newcomer(Request request) {
        return (spec.isFair() ? line.length() > 0 : promised) ? null : gate.attempt(request);
    }

    /** The answer to a newcomer who was refused, or not asked for, and is not made to wait; else null. */
    @Nullable
    Rejection turnedAway(@Nullable Rejection refused, long patience) {
        if (refused == null) {
            return patience > 0 ? null : lastRefusal;
        }
        if (isFinal(refused)) {
            return refused;
        }
        last(refused);
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

    /** One has entered the line. */
    void entered(Waiter waiter) {
        if (waiter.thread != null && !spec.isFair()) {
            waiter.askAfter = Math.min(HAND_OVER, interval(1));
        }
        if (!waiter.isBehind) {
            ask();
        }
        if (waiter.alarmIn > 0) {
            ring(waiter.alarmIn, this::rung);
        }
    }

    /** One has ended by itself. */
    void left(Waiter waiter) {
        line.leave(waiter);
        if (!callsAnother(waiter) && (waiter.asked || !spec.isFair())) {
            ask();
        }
        answers.tell(waiter);
    }

    /** One that has ended passes on a call it may have had: nobody else is called meanwhile. */
    boolean callsAnother(Waiter ended) {
        boolean wasCalled = called == ended;
        if (wasCalled) {
            called = null;
            ask();
        }
        return wasCalled;
    }

    /** A blocked thread's turn to do something: ask, or sleep until there is something to do. */
    void waits(Waiter waiter, long waited) {
        if (waited >= waiter.askAfter) {
            waiter.askAfter = Long.MAX_VALUE;
            if (spec.isFair() || waited >= HAND_OVER) {
                ask();
            } else {
                askForItself(waiter);
            }
        } else if (called == waiter) {
            answerCall(waiter, waited);
        } else {
            long sleep = Math.min(waiter.patience, waiter.askAfter) - waited;
            if (sleep > TOO_SHORT_TO_SLEEP) {
                LockSupport.parkNanos(this, sleep);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    /* In an unfair queue, where a thread that is woken only to find its permit taken costs less than a permit that lies
    idle until the thread has woken. Whoever found it taken comes back after a breath, before anybody is called again, or
    those who run would spend their time on waking others in vain. The last try comes after the call is over, for whoever
    returned capacity before did not call. */
    private void answerCall(Waiter waiter, long waited) {
        if (attempt(waiter.request) instanceof Permit permit) {
            List<Waiter> ended = new ArrayList<>(1);
            ends(waiter, permit, ended);
            answers.give(ended);
            return;
        }
        LockSupport.parkNanos(this, Math.min(waiter.patience - waited, BREATH));
        called = null;
        askForItself(waiter);
    }

    private void askForItself(Waiter waiter) {
        List<Waiter> ended = new ArrayList<>(0);
        if (!spec.isFair() && !askFor(waiter, ended)) {
            return;
        }
        ask();
        answers.give(ended);
    }

    private long interval(int refusals) {
        try {
            Long millis = Objects.requireNonNull(spec.askingAgain()).apply(refusals);
            return Math.max(1, Math.min(millis, AdmissionQueue.HANDED_OVER_AFTER.toMillis())) * 1_000_000;
        } catch (Throwable t) {
            line.failed();
            return HAND_OVER;
        }
    }

    /** Capacity has come back, or may have. */
    void capacity() {
        int waiting = line.length();
        if (waiting > 0 && called == null) {
            try {
                Headroom.toGoOn(waiting);
            } catch (StackOverflowError e) {
                retry();
                return;
            }
            ask();
        }
    }

    /** Sees to it that whoever may be let in is. */
    void ask() {
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
            answers.give(ended);
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
            ring(RETRY, again);
        } catch (Throwable t) {
            retrying = false;
            throw t;
        }
    }

    private void askAfterAll() {
        retrying = false;
        seeTo(line.length() > 0);
    }

    /** Whether an alarm is wished for. */
    private boolean askInOrder(List<Waiter> ended) {
        boolean later = false;
        long now = line.isTimed() ? ticker.read() : 0;
        Waiter waiter = line.next(now, ended);
        int lanes = line.length();
        while (waiter != null && ended.size() < ENOUGH) {
            if (askFor(waiter, ended)) {
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
            Waiter oldest = line.oldest(waiter -> true);
            boolean his = oldest != null && now - oldest.since >= HAND_OVER;
            promised = his;
            if (next == null || oldest == null || ended.size() >= ENOUGH) {
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
                line.leave(waiter);
            } else if (!askFor(waiter, ended)) {
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

    /** Whether the waiter has ended, and is out of the line. */
    private boolean askFor(Waiter waiter, List<Waiter> ended) {
        if (!waiter.asked) {
            waiter.asked = true;
        }
        Decision decision = waiter.ending() == null ? attempt(waiter.request) : lastRefusal;
        boolean over = waiter.ending() != null;
        if (decision instanceof Rejection refused && !over && !isFinal(refused)) {
            refused(waiter, refused);
            return false;
        }
        ends(waiter, decision, ended);
        return true;
    }

    private void ends(Waiter waiter, Decision decision, List<Waiter> ended) {
        if (line.end(waiter, decision)) {
            if (waiter.thread != null && waiter.thread != Thread.currentThread()) {
                LockSupport.unpark(waiter.thread);
            }
            if (answers.concern(waiter)) {
                ended.add(waiter);
            }
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
    private void refused(Waiter waiter, Rejection refused) {
        last(refused);
        long wait = refused.retryAfterNanos();
        boolean fair = spec.isFair();
        if (fair && wait == 0) {
            return;
        }
        long now = ticker.read();
        long waited = Math.max(0, now - waiter.since);
        if (!fair && waited < HAND_OVER) {
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

    private void last(Rejection refused) {
        if (lastRefusal != refused) {
            lastRefusal = refused;
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

    void rung() {
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
            answers.give(ended);
        }
    }
}
