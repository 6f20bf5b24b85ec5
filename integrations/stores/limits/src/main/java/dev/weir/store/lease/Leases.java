package dev.weir.store.lease;

import dev.weir.spi.Registration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The leases of one semaphore in a store, as one holder asks for them. A lease ends by the clock of the store, and permits are free
 * again then; each has a token that is greater than those of all leases before it.
 *
 * <p>A stage fails if it is not known what the store has done, and no call is repeated. Stages may be completed on any thread, which is
 * needed again soon. Thread-safe; no method blocks or throws.
 */
public interface Leases {
    /** The most leases of one call. */
    int MOST_LEASES = 64;

    /** The most holders that wait in one semaphore. */
    int MOST_WAITING = 64;

    /** For how many microseconds room is kept for a holder that was told of it. */
    long TURN_MICROS = 100_000;

    /**
     * Takes all permits under one lease, or none: they must be free, and so must those be for which other holders wait that came before.
     *
     * @param waitMicros for so long this holder is among those that wait if it is refused, behind those that wait already; it keeps its
     *     place if it was there. 0 = it does not wait, and stands behind all that do
     */
    CompletionStage<LeaseReply> acquire(long permits, LeaseTerms terms, long waitMicros);

    /** Leases permits that are held already, also beyond the limit. A place among those that wait stays. */
    CompletionStage<LeaseReply> charge(long permits, LeaseTerms terms);

    /**
     * Has these leases of this holder end later: one length from now. A lease that the store does not know is refused, except after a loss
     * of its data, while it accepts renewals only.
     *
     * @param leases at most {@value #MOST_LEASES}
     * @return for each of them whether it is counted
     */
    CompletionStage<List<Boolean>> renew(List<HeldLease> leases, LeaseTerms terms);

    /**
     * Removes leases of this holder. One that is not there any more changes nothing. With no leases, asks whether the store would count.
     *
     * @param leases at most {@value #MOST_LEASES}
     */
    CompletionStage<?> release(List<HeldLease> leases, LeaseTerms terms);

    /**
     * Has an action called when there may be room for this holder, which waits, until the registration is closed. Calls may be missing:
     * by default all are. The action is short and does not throw.
     */
    default Registration listen(Runnable told) {
        return () -> {};
    }
}
