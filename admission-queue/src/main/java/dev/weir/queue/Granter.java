package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Ticker;
import dev.weir.internal.Undoable;
import dev.weir.spi.Gate;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One attempt to acquire for a waiter, which ends its wait or plans the next attempt. Thread-safe. */
record Granter(Gate gate, Ticker ticker, WaitList waitList, Rejections rejections, Completions completions) {
    static final Duration HAND_OFF_AFTER = Duration.ofMillis(100);
    static final long HAND_OFF_NANOS = HAND_OFF_AFTER.toNanos();

    /** The number of ended waits that are collected before they are completed. */
    static final int MAX_ENDED = 64;

    /** Null if the waiter has ended, and is out of the list; else why it was refused. */
    @Nullable
    Rejection tryFor(QueuedRequest waiter, EndedWaits ended) {
        Decision decision = decide(waiter);
        Rejection refused = rejectionOf(waiter, decision);
        if (refused == null) {
            end(waiter, decision, ended);
        }
        return refused;
    }

    /** As {@link #tryFor}; if the waiter has ended, {@link EndedWaits#tryNext} is set. */
    @Nullable
    Rejection tryForThenNext(QueuedRequest waiter, long now, EndedWaits ended) {
        Decision decision = decide(waiter);
        Rejection refused = rejectionOf(waiter, decision);
        if (refused == null) {
            ended(waiter, decision, waitList.endThenNext(waiter, decision, now, ended), ended);
        }
        return refused;
    }

    private Decision decide(QueuedRequest waiter) {
        markAttempted(waiter);
        return waiter.decision() == null ? attempt(waiter) : rejections.last();
    }

    /* Null if the wait is over, or this decision ends it. */
    private @Nullable Rejection rejectionOf(QueuedRequest waiter, Decision decision) {
        boolean over = waiter.decision() != null;
        if (decision instanceof Rejection refused && !over && !isFinal(waiter, refused)) {
            refused(waiter, refused);
            return refused;
        }
        return null;
    }

    /**
     * Tries for the waiters that requested more than the limit, in order of arrival. Stops at the first one that is refused
     * although the limit has room for it again: from then on it is tried when it is next, like others. If there are
     * subqueues, a rejection stops only its own subqueue. If a rejection depends on the number of permits alone, no waiter is
     * tried that requests as many permits as one for which the limit has no room. Returns whether an alarm is needed.
     */
    boolean tryTooHeavy(EndedWaits ended) {
        boolean needsAlarm = false;
        boolean alike = gate.refusesAlike();
        long atMost = Long.MAX_VALUE;
        Set<@Nullable Object> refused = new HashSet<>();
        QueuedRequest waiter = waitList.nextTooHeavy(null, atMost);
        for (; waiter != null; waiter = waitList.nextTooHeavy(waiter, atMost)) {
            Object subqueue = waitList.subqueue(waiter);
            if (refused.contains(subqueue) || tryFor(waiter, ended) == null) {
                continue;
            }
            if (waiter.tooHeavy) {
                atMost = alike ? Math.min(atMost, waiter.request.permits() - 1) : atMost;
                continue;
            }
            needsAlarm |= waiter.completion != null;
            refused.add(subqueue);
            if (subqueue == null) {
                break;
            }
        }
        return needsAlarm;
    }

    /** From here on its leaving may let those after it acquire, also where it was left out this time. */
    static void markAttempted(QueuedRequest waiter) {
        if (!waiter.attempted) {
            waiter.attempted = true;
        }
    }

    Decision attempt(QueuedRequest waiter) {
        try {
            return gate.attempt(waiter.request, waiter.requestData(gate));
        } catch (RuntimeException e) {
            waitList.countFailure();
            return rejections.of(Reason.CANCELLED);
        }
    }

    /* NEVER is final for a request for more than the limit on its arrival. Otherwise the limit fell, and may rise again: but
    it falls below one permit only while nothing is granted at all. */
    private boolean isFinal(QueuedRequest waiter, Rejection refused) {
        return refused.reason() == Reason.CANCELLED
                || refused.reason() == Reason.KEY_MISSING
                || (refused.reason() == Reason.NEVER
                        && ((waiter.request.amount() == 1 && refused.limit() > 0) || !fitted(waiter)));
    }

    private boolean fitted(QueuedRequest waiter) {
        try {
            waiter.fitted = waiter.fitted || waiter.grantableOnArrival.test(waiter.request);
        } catch (RuntimeException e) {
            waitList.countFailure();
        }
        return waiter.fitted;
    }

    /** Ends the wait with this decision; if it has ended before, releases the permit. */
    void end(QueuedRequest waiter, Decision decision, EndedWaits ended) {
        ended(waiter, decision, waitList.end(waiter, decision), ended);
    }

    private void ended(QueuedRequest waiter, Decision decision, boolean first, EndedWaits ended) {
        if (first) {
            if (waiter.thread != null && waiter.thread != Thread.currentThread()) {
                LockSupport.unpark(waiter.thread);
            }
            if (completions.isNeeded(waiter)) {
                ended.add(waiter);
            }
        } else if (decision instanceof Permit permit) {
            Undoable.undo(permit);
        }
    }

    /* A blocked thread tries again by itself when it is time; for a completion there is the alarm. */
    private void refused(QueuedRequest waiter, Rejection refused) {
        boolean tooHeavy = refused.reason() == Reason.NEVER;
        if (waiter.tooHeavy != tooHeavy) {
            waitList.tooHeavy(waiter, tooHeavy);
        }
        if (tooHeavy) {
            return;
        }
        if (!waiter.fitted && refused.reason() != Reason.SUSPENDED) { // its size was not looked at
            waiter.fitted = true;
        }
        rejections.last(refused);
        long delay = refused.retryAfterNanos();
        boolean fair = waitList.spec().isFair();
        if (fair && delay == 0) {
            return;
        }
        long now = ticker.read();
        long waited = Math.max(0, now - waiter.since);
        if (!fair && waited < HAND_OFF_NANOS) {
            delay = Math.min(Math.max(delay, retryNanos(++waiter.rejections)), HAND_OFF_NANOS - waited);
        }
        if (delay <= 0) {
            return;
        }
        if (waiter.completion != null) {
            waitList.retryAt(now + delay);
            return;
        }
        waiter.retryAfter = waited + delay < 0 ? Long.MAX_VALUE : waited + delay;
        if (waiter.thread != Thread.currentThread()) {
            LockSupport.unpark(waiter.thread);
        }
    }

    /** The delay of an unfair queue's schedule after this number of rejections; the longest if the queue is fair by now. */
    long retryNanos(int refused) {
        IntervalFunction schedule = waitList.spec().retrySchedule();
        if (schedule == null) {
            return HAND_OFF_NANOS;
        }
        try {
            Long millis = schedule.apply(refused);
            return Math.max(1, Math.min(millis, HAND_OFF_AFTER.toMillis())) * 1_000_000;
        } catch (Throwable t) {
            waitList.countFailure();
            return HAND_OFF_NANOS;
        }
    }
}
