package dev.weir.queue;

import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Gate;
import org.jspecify.annotations.Nullable;

/** The grant loop of a fair queue: tries for the waiters in the order of the discipline, until the gate refuses. */
record FairDispatch(Granter granter, Gate gate, Ticker ticker, WaitList waitList) {
    /**
     * Tries to grant. Returns whether an alarm is needed. If a rejection depends on the number of permits alone, no waiter is
     * tried that requests at least as many permits as the smallest request refused in this round, and at most as many as the
     * largest: the limit has room for that one. One that requests more may be too heavy, and then holds up no other.
     */
    boolean dispatch(EndedWaits ended) {
        boolean needsAlarm = false;
        boolean alike = gate.refusesAlike();
        long smallest = Long.MAX_VALUE;
        long largest = 0;
        boolean isNext = true;
        long now = waitList.isTimed() ? ticker.read() : 0;
        QueuedRequest waiter = waitList.first(now, ended);
        int left = waitList.length();
        while (waiter != null && ended.size() < Granter.MAX_ENDED) {
            long permits = waiter.request.permits();
            Granter.markAttempted(waiter);
            boolean isTried = permits < smallest || permits > largest;
            int events = waitList.suspensions.events();
            Rejection refused = isTried ? granter.tryForThenNext(waiter, now, ended) : null;
            boolean isOver = isTried && refused == null;
            if (isOver || (isNext && waiter.tooHeavy)) {
                waiter = isOver ? ended.tryNext : waitList.next(now, ended);
                left = waitList.length();
                isNext = true;
                continue;
            }
            if (!waiter.tooHeavy) {
                needsAlarm |= waiter.completion != null && refused != null && refused.retryAfterNanos() > 0;
                smallest = alike ? Math.min(smallest, permits) : smallest;
                largest = Math.max(largest, permits);
            }
            boolean holdsUp = refused != null && !waiter.tooHeavy && gate.holdsUpOthers(waiter.request, refused);
            if (refused != null && !waiter.tooHeavy && !alike && !holdsUp) {
                suspend(waiter, refused, now, events);
            }
            waiter = !holdsUp && smallest > 1 && --left > 0 ? waitList.after(waiter) : null;
            isNext = false;
        }
        return needsAlarm;
    }

    /* The time of the round, not of the rejection: a waiter is resumed no later than it tries again by itself. */
    private void suspend(QueuedRequest waiter, Rejection refused, long now, int events) {
        Object key = countedBy(waiter.request);
        if (key != null) {
            waitList.suspend(waiter, key, now, refused.retryAfterNanos(), events);
        }
    }

    /** Waiters may be granted, and the dispatcher is going to run: a permit of this request was released; null: any other event. */
    void event(@Nullable Request released) {
        if (waitList.suspensions.isUsed()) {
            waitList.event(released == null ? null : countedBy(released));
        }
    }

    private @Nullable Object countedBy(Request request) {
        try {
            return gate.countedBy(request);
        } catch (Throwable t) {
            waitList.countFailure();
            return null;
        }
    }
}
