package dev.weir.store.lease;

import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.store.WhenAway;
import java.util.function.LongSupplier;

/** The decisions of a semaphore while its store does not answer. Thread-safe. */
record AwayGrants(String name, WhenAway whenAway, HeldLeases leases, LongSupplier limit) {
    Decision decide(Request request) {
        long most = most();
        LeasedPermit permit = leases.holdUncounted(request.permits(), most);
        if (permit != null) {
            return permit;
        }
        Reason reason = most == 0 ? Reason.UNAVAILABLE : Reason.CONCURRENCY;
        return new Rejection(name, reason, GuardedLeases.PROBE_NANOS, limit.getAsLong());
    }

    /* What the store granted to this instance counts too. */
    private long most() {
        if (whenAway instanceof WhenAway.Open) {
            return Long.MAX_VALUE;
        }
        if (whenAway instanceof WhenAway.Local local) {
            try {
                return local.instances().place().part(limit.getAsLong());
            } catch (RuntimeException e) {
                return 0;
            }
        }
        return 0;
    }
}
