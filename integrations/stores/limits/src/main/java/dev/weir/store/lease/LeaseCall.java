package dev.weir.store.lease;

import dev.weir.store.lease.LeaseReply.Reason;
import java.util.List;

/** A call of one holder, and its answer. */
sealed interface LeaseCall {
    LeaseTerms terms();

    /** {@code waitMicros}: 0 = it does not wait. */
    record Acquire(long permits, LeaseTerms terms, long waitMicros) implements LeaseCall {}

    record Charge(long permits, LeaseTerms terms) implements LeaseCall {}

    record Renew(List<HeldLease> leases, LeaseTerms terms) implements LeaseCall {}

    record Release(List<HeldLease> leases, LeaseTerms terms) implements LeaseCall {}

    /**
     * The answer to a call, and the figures after it.
     *
     * @param grant empty unless a lease was asked for
     * @param done of leases that are renewed or released, for each whether it was
     */
    record Answer(Grant grant, List<Boolean> done, long remaining, long limit, long resetMicros) {
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
}
