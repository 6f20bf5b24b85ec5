package dev.weir.store;

import dev.weir.Rejection.Reason;
import java.util.Map;

/**
 * The state of a limiter and of its link to the store. Totals since the limiter was built, not read at one instant.
 *
 * @param up whether the store counts as up; otherwise it is only probed
 * @param degraded whether there is so much traffic that the limiter decides by itself
 * @param inFlight commands that were sent and have no answer yet
 * @param timeouts commands that had no answer in time
 * @param failures commands that failed, and what the code of others threw
 * @param localDecisions requests that were decided without the store, granted or refused
 * @param inDoubtPermits permits that the store may or may not have counted or refunded, because the command failed
 * @param uncountedPermits those of them that were granted here: the limit may be exceeded by them
 * @param unsent commands that were not sent because too many were in flight
 * @param answers commands that were answered, also too late
 * @param answerNanos how long all of these answers took together
 * @param healed values that the store replaced because they were none of its own
 * @param granted requests that were granted
 * @param refused requests that were refused, by reason; those of no request are missing
 * @param settledAgain permits that were settled after they had been settled or released, which did nothing
 */
public record StoreStatus(
        boolean up,
        boolean degraded,
        int inFlight,
        long timeouts,
        long failures,
        long localDecisions,
        long inDoubtPermits,
        long uncountedPermits,
        long unsent,
        long answers,
        long answerNanos,
        long healed,
        long granted,
        Map<Reason, Long> refused,
        long settledAgain) {
    /** Copies the map. */
    public StoreStatus {
        refused = Map.copyOf(refused);
    }
}
