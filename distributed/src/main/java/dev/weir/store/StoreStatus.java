package dev.weir.store;

import dev.weir.Rejection.Reason;
import java.util.List;
import java.util.Map;

/**
 * The state of a limiter and of its link to the store. Totals since the limiter was built, not read at one instant.
 *
 * @param up whether no node of the store counts as away; one that does is only probed
 * @param degraded whether there is so much traffic that the limiter decides by itself
 * @param inFlight commands that were sent and have no answer yet
 * @param timeouts commands that had no answer in time
 * @param failures commands that failed, and what the code of others threw
 * @param localDecisions requests that were decided without the store, granted or refused
 * @param inDoubtPermits permits that the store may or may not have counted or refunded, because the command failed or was not answered in
 *     time; an answer that comes late takes its permits off again
 * @param uncountedPermits those of them that were granted here: the most that was not counted, by which the limit may be exceeded
 * @param unsent commands that were not sent because too many were in flight
 * @param answers commands that were answered, also too late
 * @param answerNanos how long all of these answers took together
 * @param healed values that the store replaced because they were none of its own
 * @param granted requests that were granted
 * @param refused requests that were refused, by reason; those of no request are missing
 * @param settledAgain permits that were settled after they had been settled or released, which did nothing
 * @param away the names of the nodes that count as away, by which keys are decided without the store
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
        long settledAgain,
        List<String> away) {
    /** Copies the map and the list. */
    public StoreStatus {
        refused = Map.copyOf(refused);
        away = List.copyOf(away);
    }
}
