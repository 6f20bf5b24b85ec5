package dev.weir.store.lease;

import java.util.List;

/** A call of one holder. */
sealed interface LeaseCall {
    LeaseTerms terms();

    /** {@code waitMicros}: 0 = it does not wait. */
    record Acquire(long permits, LeaseTerms terms, long waitMicros) implements LeaseCall {}

    record Charge(long permits, LeaseTerms terms) implements LeaseCall {}

    record Renew(List<HeldLease> leases, LeaseTerms terms) implements LeaseCall {}

    record Release(List<HeldLease> leases, LeaseTerms terms) implements LeaseCall {}
}
