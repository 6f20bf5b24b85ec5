package dev.weir.store;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.internal.Undoable;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A permit of a limit that a store counts. It can be refunded if the store has counted it, as far as it counts still, and settled if
 * the limit counts by cost.
 */
final class StorePermit extends Permit implements Undoable {
    /** The place where permits of a key are counted: it corrects what they have spent, now or soon. */
    interface Account {
        /**
         * Refunds, as far as nothing has refilled since; or charges what a permit has cost beyond its estimate.
         *
         * @param permits more than 0 are refunded, less than 0 are charged
         * @param grantedAt the reading of the ticker at the grant
         * @param counts see {@link Reply#counts}
         */
        void refund(@Nullable Object key, long permits, long grantedAt, long counts);

        /** A permit was settled that had been settled or released. */
        void settledAgain();
    }

    private static final VarHandle STATE;
    private static final int HELD = 0;
    private static final int SETTLED = 1;
    private static final int RELEASED = 2;
    private static final String[] STATES = {", held]", ", settled]", ", released]"};

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(StorePermit.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final @Nullable Account account;
    private final boolean isRefundable;
    private final boolean isSettled;
    private final @Nullable Object key;
    private final long permits;
    private final @Nullable Reply reply;
    private final long remaining;
    private final long grantedAt;
    private final long counts;
    private volatile int state;

    /** A permit of which nothing is corrected. */
    StorePermit(Request request) {
        this(null, request, null, 0, 0, 0);
    }

    /**
     * A permit of a request.
     *
     * @param reply of which the quota is told; null = it is not known
     * @param remaining what another request could get after this one, by that reply
     */
    StorePermit(
            @Nullable Account account,
            Request request,
            @Nullable Reply reply,
            long remaining,
            long grantedAt,
            long counts) {
        this.account = account;
        this.isRefundable = request.isRefundable();
        this.isSettled = request.isSettled();
        this.key = request.key();
        this.permits = request.permits();
        this.reply = reply;
        this.remaining = remaining;
        this.grantedAt = grantedAt;
        this.counts = counts;
    }

    @Override
    public @Nullable Quota quota() {
        return reply == null ? null : reply.quota(remaining, 0);
    }

    @Override
    public boolean release(Outcome outcome) {
        return release(Objects.requireNonNull(outcome, "outcome"), isRefundable);
    }

    @Override
    public void undo() {
        boolean unused = release(Outcome.CANCELLED, true);
    }

    private boolean release(Outcome outcome, boolean refunds) {
        if (STATE.compareAndSet(this, HELD, RELEASED)) {
            if (outcome == Outcome.CANCELLED && refunds && account != null) {
                account.refund(key, permits, grantedAt, counts);
            }
            return true;
        }
        return STATE.compareAndSet(this, SETTLED, RELEASED);
    }

    @Override
    public boolean settle(long actual) {
        boolean unused = super.settle(actual);
        if (!isSettled) {
            return false;
        }
        if (!STATE.compareAndSet(this, HELD, SETTLED)) {
            if (account != null) {
                account.settledAgain();
            }
            return false;
        }
        if (account != null && actual != permits) {
            account.refund(key, permits - actual, grantedAt, counts);
        }
        return true;
    }

    @Override
    public String toString() {
        return "Permit[" + permits + (key == null ? "" : " of " + key) + STATES[state];
    }
}
