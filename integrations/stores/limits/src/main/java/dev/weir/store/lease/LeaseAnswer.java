package dev.weir.store.lease;

import dev.weir.store.lease.LeaseReply.Reason;
import java.util.List;

/**
 * The answer to a call, and the figures after it.
 *
 * @param grant empty unless a lease was asked for
 * @param done of leases that are renewed or released, for each whether it was
 */
record LeaseAnswer(Grant grant, List<Boolean> done, long remaining, long limit, long resetMicros) {
    /** A lease, or why there is none. */
    record Grant(long token, long retryMicros, Reason reason) {
        static final Grant NONE = new Grant(0, 0, Reason.HELD);

        static Grant of(long token) {
            return new Grant(token, 0, Reason.NONE);
        }
    }

    LeaseReply reply() {
        return new LeaseReply(grant.token, remaining, limit, resetMicros, grant.retryMicros, grant.reason);
    }
}
