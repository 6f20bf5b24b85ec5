package dev.weir.queue;

import dev.weir.Ticker;
import dev.weir.spi.Gate;
import java.util.List;

/** The grant loop of a fair queue: tries for the waiters in the order of the discipline, until the gate refuses. */
final class FairDispatch {
    private final Granter granter;
    private final Gate gate;
    private final Ticker ticker;
    private final WaitList waitList;

    FairDispatch(Granter granter, Gate gate, Ticker ticker, WaitList waitList) {
        this.granter = granter;
        this.gate = gate;
        this.ticker = ticker;
        this.waitList = waitList;
    }

    /**
     * Tries to grant. Returns whether an alarm is needed. If a rejection depends on the number of permits alone, no waiter is
     * tried that requests at least as many permits as the smallest request refused in this round.
     */
    boolean dispatch(List<QueuedRequest> ended) {
        boolean needsAlarm = false;
        boolean alike = gate.refusesAlike();
        long smallest = Long.MAX_VALUE;
        long now = waitList.isTimed() ? ticker.read() : 0;
        QueuedRequest waiter = waitList.first(now, ended);
        int left = waitList.length();
        while (waiter != null && ended.size() < Granter.MAX_ENDED) {
            long permits = waiter.request.permits();
            Granter.markAttempted(waiter);
            if ((permits < smallest && granter.tryFor(waiter, ended) == null) || waiter.tooHeavy) {
                waiter = waitList.next(now, ended);
                left = waitList.length();
                continue;
            }
            needsAlarm |= waiter.completion != null;
            smallest = alike ? Math.min(smallest, permits) : smallest;
            waiter = smallest > 1 && --left > 0 ? waitList.after(waiter) : null;
        }
        return needsAlarm;
    }
}
