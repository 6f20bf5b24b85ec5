package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.spi.Gate;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Asks the gate for those who wait, whenever one of them may be granted a permit. */
final class Asker {
    /*
     * Nobody waits inside the limiter. Whatever may let a waiter in (a permit was released, the limit was raised, the
     * strategy was swapped, a waiter came or left, an alarm rang) calls `ask`, which asks the gate for one waiter after
     * the other until it refuses. One thread asks at a time; another that comes meanwhile counts up, and the one that asks
     * starts another round:
     *
     *     A                              B
     *     asks: 0 -> 1
     *     asks the gate: refused
     *                                    returns capacity
     *                                    asks: 1 -> 2: leaves it to A
     *     asks: 2 - 1, not 0:
     *     asks the gate again
     *
     * No wake-up is lost between three either: a waiter is counted in `length` before it asks; a releaser reads `length`
     * after it returned capacity; and either of them finds the one that asks still at it, or asks.
     *
     *     waiter                         releaser                       asker
     *     length := + 1                  returns capacity               asks the gate
     *     ask: counted, or asks          reads length: ask: likewise    asks - seen: 0, or once more
     *
     * The gate, observers and futures are called without any lock. A permit that was granted for a waiter that ended in
     * the meantime is released as cancelled, which asks again.
     */

    private static final long HAND_OVER = AdmissionQueue.HANDED_OVER_AFTER.toNanos();
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
    private final QueueAlarm alarm;
    private final Line line;
    private final Answers answers;
    private final Judge judge;
    private volatile QueueSpec spec;
    private volatile Rejection lastRefusal;
    private volatile int asks;

    /** An unfair queue's waiter that was woken to ask for itself and has not yet: one at a time. */
    private volatile @Nullable Waiter called;
    /** In an unfair queue newcomers are not asked for: the next permit is for a waiter that has waited long. */
    private volatile boolean promised;

    Asker(AdmissionQueue.Builder asked, Ticker ticker) {
        Workers workers = new Workers("weir-queue-" + asked.name);
        this.name = asked.name;
        this.gate = asked.gate;
        this.ticker = ticker;
        this.spec = asked.spec;
        this.lastRefusal = new Rejection(name, Reason.CONCURRENCY, 0, 0);
        this.line = new Line(spec, this::refusal);
        this.judge = new Judge(gate, line);
        this.alarm = new QueueAlarm(
                asked.alarm == null && ticker instanceof Alarm both ? both : asked.alarm, workers, line, this::seeTo);
        this.answers = new Answers(asked.executor == null ? workers : asked.executor, ticker, gate, line);
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

    Rejection refusal(Reason reason) {
        Rejection last = lastRefusal;
        return new Rejection(name, reason, reason == Reason.CANCELLED ? 0 : last.retryAfterNanos(), last.limit());
    }

    /** Tries to acquire for a new request; null if waiting requests go first and the limit is enforced for it. */
    @Nullable
    Decision newcomer(Request request, @Nullable Object kept) {
        boolean waits = spec.isFair() ? line.inTurn() > 0 : promised;
        return waits ? gate.letThrough(request, kept) : gate.attempt(request, kept);
    }

    /** The answer to a newcomer that was refused, or not asked for, and does not wait; null if it waits. */
    @Nullable
    Rejection turnedAway(@Nullable Rejection refused, long patience) {
        if (refused == null) {
            return patience > 0 ? null : lastRefusal;
        }
        if (refused.reason() == Reason.NEVER || refused.reason() == Reason.CANCELLED) {
            return refused;
        }
        last(refused);
        if (patience <= 0) {
            return refused;
        }
        return refused.retryAfterNanos() > patience ? refusal(Reason.TIMED_OUT) : null;
    }

    /** One has entered the line. */
    void entered(Waiter waiter) {
        if (waiter.thread != null && !spec.isFair()) {
            waiter.askAfter = Math.min(HAND_OVER, interval(1));
        }
        if (!waiter.isBehind) {
            ask();
        }
        judge.judge(waiter, this::passes);
        Ring ring = waiter.ring;
        if (ring != null) {
            waiter.ring = null;
            alarm.set(ring);
        }
    }

    /* One that had been asked for held up others. */
    private void passes(Waiter waiter, Permit permit) {
        List<Waiter> ended = new ArrayList<>(1);
        ends(waiter, permit, ended);
        if (waiter.asked) {
            ask();
        }
        answers.give(ended);
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
    idle until the thread has woken. A thread that found it taken tries again a little later, before another is called, or
    the running threads would spend their time on waking others in vain. The last try comes after the call is over, for a
    release before that did not call. */
    private void answerCall(Waiter waiter, long waited) {
        if (attempt(waiter) instanceof Permit permit) {
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
        if (!spec.isFair() && askFor(waiter, ended) != null && !waiter.tooHeavy) {
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
        if (line.length() > 0 && (called == null || judge.isDue())) {
            ask();
        }
    }

    /** Sees to it that every waiter that may be granted a permit is. */
    void ask() {
        List<Waiter> ended = new ArrayList<>(0);
        while ((int) ASKS.getAndAdd(this, 1) == 0 && !askedForAll(ended)) {
            ended = new ArrayList<>(ENOUGH);
        }
    }

    /** False if those that ended were completed before all were asked for. */
    private boolean askedForAll(List<Waiter> ended) {
        boolean later = false;
        boolean enough = false;
        try {
            int seen;
            do {
                seen = asks;
                judge.judgeAll((waiter, permit) -> ends(waiter, permit, ended));
                later |= line.length() > line.inTurn() && askForTooHeavy(ended);
                later |= spec.isFair() ? askInOrder(ended) : askUnfairly(ended);
                enough = ended.size() >= ENOUGH;
            } while (!enough && (int) ASKS.getAndAdd(this, -seen) != seen);
            if (enough) {
                asks = 0;
            }
            if (later) {
                alarm.set(line.ringAt(ticker.read()));
            }
        } catch (Throwable t) {
            asks = 0;
            alarm.retry();
        } finally {
            answers.give(ended);
        }
        return !enough;
    }

    /* In order of arrival, until one is refused although the limit has room for it again: it has its turn like others.
    Where there are lanes it is that of its lane alone. */
    private boolean askForTooHeavy(List<Waiter> ended) {
        boolean later = false;
        Set<@Nullable Lane> refused = new HashSet<>();
        for (Waiter waiter : line.tooHeavy()) {
            if (!refused.contains(waiter.lane) && askFor(waiter, ended) != null && !waiter.tooHeavy) {
                later |= waiter.answer != null;
                refused.add(waiter.lane);
                if (waiter.lane == null) {
                    break;
                }
            }
        }
        return later;
    }

    /* Whether an alarm is needed. Where a refusal depends on the permits alone, no others are asked for that ask for as
    many as the smallest request that was refused in this round. */
    private boolean askInOrder(List<Waiter> ended) {
        boolean later = false;
        boolean alike = gate.refusesAlike();
        long smallest = Long.MAX_VALUE;
        long now = line.isTimed() ? ticker.read() : 0;
        Waiter waiter = line.first(now, ended);
        int lanes = line.length();
        while (waiter != null && ended.size() < ENOUGH) {
            long permits = waiter.request.permits();
            isNext(waiter);
            if (permits < smallest && askFor(waiter, ended) == null) {
                waiter = line.next(now, ended);
                lanes = line.length();
                continue;
            }
            if (waiter.tooHeavy) {
                waiter = line.next(now, ended);
                lanes = line.length();
                continue;
            }
            later |= waiter.answer != null;
            smallest = alike ? Math.min(smallest, permits) : smallest;
            waiter = smallest > 1 && --lanes > 0 ? line.after(waiter) : null;
        }
        return later;
    }

    private boolean askUnfairly(List<Waiter> ended) {
        long now = ticker.read();
        for (Waiter next = line.first(now, ended); ; next = line.next(now, ended)) {
            now = ticker.read();
            Waiter oldest = line.oldest(waiter -> !waiter.tooHeavy);
            boolean handOver = oldest != null && now - oldest.since >= HAND_OVER;
            promised = handOver;
            if (next == null || oldest == null || ended.size() >= ENOUGH) {
                return false;
            }
            Waiter waiter = handOver ? oldest : next;
            boolean later = !handOver && oldest.answer != null;
            if (later) {
                line.askAgain(oldest.since + HAND_OVER);
            }
            if (!handOver && waiter.thread != null) {
                if (called != null || calls(waiter)) {
                    return later;
                }
                line.leave(waiter);
            } else if (askFor(waiter, ended) != null && !waiter.tooHeavy) {
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

    /** Null if the waiter has ended, and is out of the line; else why it was refused. */
    private @Nullable Rejection askFor(Waiter waiter, List<Waiter> ended) {
        isNext(waiter);
        Decision decision = waiter.ending() == null ? attempt(waiter) : lastRefusal;
        boolean over = waiter.ending() != null;
        if (decision instanceof Rejection refused && !over && !ends(waiter, refused)) {
            refused(waiter, refused);
            return refused;
        }
        ends(waiter, decision, ended);
        return null;
    }

    /* Where one that was passed over leaves, others may be asked for that come after it. */
    private static void isNext(Waiter waiter) {
        if (!waiter.asked) {
            waiter.asked = true;
        }
    }

    /* NEVER is an end for a request that was more than the limit when it came. Else the limit fell, and may rise again:
    but never below one permit. */
    private boolean ends(Waiter waiter, Rejection refused) {
        return refused.reason() == Reason.CANCELLED
                || (refused.reason() == Reason.NEVER && (waiter.request.permits() == 1 || !fitted(waiter)));
    }

    private boolean fitted(Waiter waiter) {
        try {
            waiter.fitted = waiter.fitted || waiter.grantableThen.test(waiter.request);
        } catch (RuntimeException e) {
            line.failed();
        }
        return waiter.fitted;
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

    private Decision attempt(Waiter waiter) {
        try {
            return gate.attempt(waiter.request, waiter.keptBy(gate));
        } catch (RuntimeException e) {
            line.failed();
            return refusal(Reason.CANCELLED);
        }
    }

    /* A blocked thread asks again by itself when its time has come; for a future there is the alarm. */
    private void refused(Waiter waiter, Rejection refused) {
        boolean tooHeavy = refused.reason() == Reason.NEVER;
        if (waiter.tooHeavy != tooHeavy) {
            line.isTooHeavy(waiter, tooHeavy);
        }
        if (tooHeavy) {
            return;
        }
        if (!waiter.fitted) {
            waiter.fitted = true;
        }
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

    /** Ends the waits that are over, and asks if that lets others in, or if told to. */
    private void seeTo(boolean asking) {
        List<Waiter> ended = new ArrayList<>();
        try {
            if (line.endThoseDue(ticker.read(), ended) || asking) {
                ask();
            }
            alarm.set(line.ringAt(ticker.read()));
        } catch (Throwable t) {
            alarm.retry();
        } finally {
            answers.give(ended);
        }
    }
}
