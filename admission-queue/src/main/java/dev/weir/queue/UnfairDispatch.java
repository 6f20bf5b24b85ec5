package dev.weir.queue;

import dev.weir.Permit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The grant loop of an unfair queue, in which new requests may overtake. A blocked thread is woken to try for itself, one at
 * a time. If it is woken in vain, that costs less than a permit that nobody uses until the thread runs. A waiter that has waited for
 * {@link Granter#HAND_OFF_AFTER} gets the next permit handed off, and new requests wait until then.
 */
final class UnfairDispatch {
    private static final long PAUSE_NANOS = 100_000;

    private final Granter granter;
    private final WaitList waitList;
    private final Runnable dispatch;

    /** The waiter that was woken to try for itself and has not yet: one at a time. */
    private volatile @Nullable QueuedRequest woken;
    /** True while the next permit is for a waiter, and new requests are not tried. */
    private volatile boolean handsOff;

    UnfairDispatch(Granter granter, Runnable dispatch) {
        this.granter = granter;
        this.waitList = granter.waitList();
        this.dispatch = dispatch;
    }

    boolean handsOff() {
        return handsOff;
    }

    boolean isWaking() {
        return woken != null;
    }

    boolean isWoken(QueuedRequest waiter) {
        return woken == waiter;
    }

    /** A thread is going to block. */
    void entered(QueuedRequest waiter) {
        waiter.retryAfter = Math.min(Granter.HAND_OFF_NANOS, granter.retryNanos(1));
    }

    /** A woken waiter that ends wakes the next one: no other is woken meanwhile. False if it was not woken. */
    boolean passOn(QueuedRequest ended) {
        boolean wasWoken = woken == ended;
        if (wasWoken) {
            woken = null;
            dispatch.run();
        }
        return wasWoken;
    }

    /** Tries to grant. Returns whether an alarm is needed. */
    boolean dispatch(EndedWaits ended) {
        long now = granter.ticker().read();
        for (QueuedRequest next = waitList.first(now, ended); ; next = waitList.next(now, ended)) {
            now = granter.ticker().read();
            QueuedRequest oldest = waitList.oldest(waiter -> !waiter.tooHeavy);
            boolean handOff = oldest != null && now - oldest.since >= Granter.HAND_OFF_NANOS;
            handsOff = handOff;
            if (next == null || oldest == null || ended.size() >= Granter.MAX_ENDED) {
                return false;
            }
            QueuedRequest waiter = handOff ? oldest : next;
            boolean alarm = !handOff && oldest.completion != null;
            if (alarm) {
                waitList.retryAt(oldest.since + Granter.HAND_OFF_NANOS);
            }
            if (!handOff && waiter.thread != null) {
                if (woken != null || wake(waiter)) {
                    return alarm;
                }
                waitList.remove(waiter);
            } else if (granter.tryFor(waiter, ended) != null && !waiter.tooHeavy) {
                return alarm || waiter.completion != null;
            }
        }
    }

    /*
     *     dispatcher                   waiter
     *     woken := waiter              ends
     *     reads its decision           reads woken
     *
     * One of the two sees the other, and clears `woken`.
     */
    private boolean wake(QueuedRequest waiter) {
        woken = waiter;
        if (waiter.decision() != null) {
            woken = null;
            return false;
        }
        LockSupport.unpark(waiter.thread);
        return true;
    }

    /* A thread that found the permit taken tries again a little later, before another is woken, or the running threads would
    spend their time on waking others in vain. The last attempt follows after `woken` is cleared, for a release before that
    woke no other. */
    void tryWoken(QueuedRequest waiter, long waited) {
        if (granter.attempt(waiter) instanceof Permit permit) {
            EndedWaits ended = new EndedWaits();
            granter.end(waiter, permit, ended);
            granter.completions().complete(ended);
            return;
        }
        LockSupport.parkNanos(this, Math.min(waiter.timeoutNanos - waited, PAUSE_NANOS));
        woken = null;
        tryByItself(waiter);
    }

    /** A blocked thread tries for its own waiter. */
    void tryByItself(QueuedRequest waiter) {
        EndedWaits ended = new EndedWaits();
        if (!waitList.spec().isFair() && granter.tryFor(waiter, ended) != null && !waiter.tooHeavy) {
            return;
        }
        dispatch.run();
        granter.completions().complete(ended);
    }
}
