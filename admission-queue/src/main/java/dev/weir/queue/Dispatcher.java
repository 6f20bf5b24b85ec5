package dev.weir.queue;

import dev.weir.Permit;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.internal.Workers;
import dev.weir.spi.Alarm;
import dev.weir.spi.Gate;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The dispatcher of a queue: it grants free permits to waiters, trying to acquire for them whenever one may be granted. */
final class Dispatcher {
    /*
     * No waiter blocks inside the limiter: all are in the wait list. Whatever may let a waiter acquire (a permit was released,
     * the limit was changed, the strategy was swapped, a waiter came or left, an alarm fired) calls `dispatch`, which tries for
     * one waiter after the other until the gate refuses. One thread does so at a time; another that comes meanwhile increments
     * `calls`, and the first one starts another round of attempts:
     *
     *     A                              B
     *     calls: 0 -> 1
     *     tries to acquire: refused
     *                                    returns the permits
     *                                    calls: 1 -> 2: leaves it to A
     *     calls: 2 - 1, not 0:
     *     tries again
     *
     * No wake-up is lost between three either: a waiter is counted in `length` before it calls `dispatch`; a releaser reads
     * `length` after it returned the permits; and each of them finds the dispatching thread at work, or becomes it.
     *
     *     waiter                         releaser                       dispatching thread
     *     length := + 1                  returns the permits            tries to acquire
     *     dispatch: increments calls     reads length: dispatch too     calls - seen: 0, or another round
     *
     * The gate, observers and futures are called without any lock. A permit that was granted for a waiter that ended in
     * the meantime is released as cancelled, which calls `dispatch`.
     */

    private final Ticker ticker;
    private final QueueAlarm alarm;
    final Rejections rejections;
    final WaitList waitList;
    final Completions completions;
    private final PartialEnforcement enforcement;
    private final Granter granter;
    private final FairDispatch fair;
    final UnfairDispatch unfair;
    private final AtomicInteger calls = new AtomicInteger();

    Dispatcher(
            String name, Gate gate, QueueSpec spec, Ticker ticker, @Nullable Alarm alarm, @Nullable Executor executor) {
        Workers workers = new Workers("weir-queue-" + name);
        this.ticker = ticker;
        this.rejections = new Rejections(name);
        this.waitList = new WaitList(spec, rejections);
        this.enforcement = new PartialEnforcement(gate, waitList);
        this.alarm = new QueueAlarm(
                alarm == null && ticker instanceof Alarm both ? both : alarm, workers, waitList, this::due);
        this.completions = new Completions(executor == null ? workers : executor, ticker, gate, waitList);
        this.granter = new Granter(gate, ticker, waitList, rejections, completions);
        this.fair = new FairDispatch(granter, gate, ticker, waitList);
        this.unfair = new UnfairDispatch(granter, this::dispatch);
    }

    void entered(QueuedRequest waiter) {
        if (waiter.thread != null && !waitList.spec().isFair()) {
            unfair.entered(waiter);
        }
        if (!waiter.isBehind) {
            dispatch();
        }
        enforcement.check(waiter, this::letThrough);
        AlarmSetting setting = waiter.alarm;
        if (setting != null) {
            waiter.alarm = null;
            alarm.set(setting);
        }
    }

    /* A waiter that had been tried for held up others. */
    private void letThrough(QueuedRequest waiter, Permit permit) {
        EndedWaits ended = new EndedWaits();
        granter.end(waiter, permit, ended);
        if (waiter.attempted) {
            dispatch();
        }
        completions.complete(ended);
    }

    /** Ends a waiter with a rejection from outside the loop; false if it has ended before. */
    boolean cancel(QueuedRequest waiter, Reason reason) {
        boolean first = waiter.end(rejections.of(reason));
        if (first) {
            waitList.remove(waiter);
            if (!unfair.passOn(waiter) && (waiter.attempted || !waitList.spec().isFair())) {
                dispatch();
            }
            completions.notifyEnd(waiter);
        }
        return first;
    }

    /** The permits of this request were returned; null: the limit has changed. */
    void permitsReturned(@Nullable Request released) {
        if (waitList.length() == 0) {
            return;
        }
        fair.event(released);
        if (released == null || !unfair.isWaking()) {
            dispatch();
        }
    }

    /** Grants to every waiter that can be granted: here, or by the thread that is dispatching now. */
    void dispatch() {
        EndedWaits ended = new EndedWaits();
        while (calls.getAndIncrement() == 0 && !dispatchedAll(ended)) {
            ended = new EndedWaits();
        }
    }

    /** False if the ended waits were completed before all waiters were tried. */
    private boolean dispatchedAll(EndedWaits ended) {
        boolean needsAlarm = false;
        boolean enough = false;
        try {
            int seen;
            do {
                seen = calls.get();
                enforcement.checkAll((waiter, permit) -> granter.end(waiter, permit, ended));
                needsAlarm |= waitList.length() > waitList.eligible() && granter.tryTooHeavy(ended);
                needsAlarm |= waitList.spec().isFair() ? fair.dispatch(ended) : unfair.dispatch(ended);
                enough = ended.size() >= Granter.MAX_ENDED;
            } while (!enough && calls.addAndGet(-seen) != 0);
            if (enough) {
                calls.set(0);
            }
            if (needsAlarm) {
                alarm.set(waitList.nextAlarm(ticker.read()));
            }
        } catch (Throwable t) {
            calls.set(0);
            alarm.retry();
        } finally {
            completions.complete(ended);
        }
        return !enough;
    }

    /** Ends the waits that are over, and dispatches if that lets others acquire, or in any case. */
    private void due(boolean dispatch) {
        EndedWaits ended = new EndedWaits();
        try {
            if (waitList.endTimedOut(ticker.read(), ended) || dispatch) {
                dispatch();
            }
            alarm.set(waitList.nextAlarm(ticker.read()));
        } catch (Throwable t) {
            alarm.retry();
        } finally {
            completions.complete(ended);
        }
    }
}
