package dev.weir.distributed.remote;

/**
 * How a limiter and its store get along. Totals since the limiter was built, not read at one instant.
 *
 * @param up whether the store counts as up; otherwise it is only probed
 * @param degraded whether there is so much traffic that the limiter decides by itself
 * @param inFlight commands that were sent and have no answer yet
 * @param timeouts commands that had no answer in time
 * @param failures commands that failed, and what the code of others threw
 * @param localDecisions requests that were decided without the store, granted or refused
 * @param inDoubtPermits permits that the store may or may not have counted or refunded, because the command failed
 * @param uncountedPermits those of them that were granted here: the limit may be exceeded by them
 */
public record RemoteStatus(
        boolean up,
        boolean degraded,
        int inFlight,
        long timeouts,
        long failures,
        long localDecisions,
        long inDoubtPermits,
        long uncountedPermits) {}
