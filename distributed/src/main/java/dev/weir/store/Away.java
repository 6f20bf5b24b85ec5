package dev.weir.store;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The decisions that are made without the store. Thread-safe. */
final class Away {
    private final boolean open;
    private final @Nullable LocalPart part;
    private final Charges charges;
    private final Rejection closed;
    private final LongAdder decisions = new LongAdder();

    /**
     * @param open whether everything is granted
     * @param part grants otherwise; null = nothing is granted
     */
    Away(String name, boolean open, @Nullable LocalPart part, Charges charges) {
        this.open = open;
        this.part = part;
        this.charges = charges;
        this.closed = new Rejection(name, Rejection.Reason.UNAVAILABLE, 0, 0);
    }

    long decisions() {
        return decisions.sum();
    }

    Decision decide(Request request) {
        decisions.increment();
        if (open) {
            return new StorePermit(request);
        }
        Decision decision = part == null ? null : part.decide(request);
        if (decision instanceof Permit local) {
            return isCounted(request) ? permit(request, local) : closed;
        }
        return decision == null ? closed : decision;
    }

    /* Of a request with a cost the part is settled, and what the store is told. */
    private StorePermit permit(Request request, Permit local) {
        if (!request.isSettled()) {
            return new StorePermit(request);
        }
        StorePermit.Account account = new StorePermit.Account() {
            @Override
            public void refund(@Nullable Object key, long permits, long grantedAt, long counts) {
                boolean unused = local.settle(request.permits() - permits);
                charges.correctLater(key, permits, grantedAt, counts);
            }

            @Override
            public void settledAgain() {
                charges.countSettledAgain();
            }
        };
        return new StorePermit(account, request, null, 0, charges.now(), 0);
    }

    /* A key may throw. */
    private boolean isCounted(Request request) {
        try {
            charges.later(request.key(), request.permits());
            return true;
        } catch (Throwable t) {
            return false;
        }
    }

    /** The store has granted this. */
    void granted(Request request, long permits) {
        if (part != null) {
            part.spend(request, permits);
        }
    }
}
