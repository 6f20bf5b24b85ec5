package dev.weir.distributed.remote;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.internal.Undoable;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A permit of a limit that a store counts. It can be refunded if the store has counted it, as far as it counts still. */
final class RemotePermit extends Permit implements Undoable {
    /** A function that refunds permits of a key that were not used, now or soon. */
    @FunctionalInterface
    interface Refund {
        /**
         * Refunds, as far as nothing has refilled since.
         *
         * @param grantedAt the reading of the ticker at the grant
         * @param countsUntil the reading until which a window counts it
         */
        void refund(@Nullable Object key, long permits, long grantedAt, long countsUntil);
    }

    private static final VarHandle RELEASED;

    static {
        try {
            RELEASED = MethodHandles.lookup().findVarHandle(RemotePermit.class, "released", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final @Nullable Refund refund;
    private final boolean isRefundable;
    private final @Nullable Object key;
    private final long permits;
    private final @Nullable Reply reply;
    private final long remaining;
    private final long grantedAt;
    private final long countsUntil;
    private volatile boolean released;

    /** A permit that is not refunded. */
    RemotePermit(Request request) {
        this(null, request, null, 0, 0, 0);
    }

    /**
     * A permit of a request.
     *
     * @param reply of which the quota is told; null = it is not known
     * @param remaining what another request could get after this one, by that reply
     */
    RemotePermit(
            @Nullable Refund refund,
            Request request,
            @Nullable Reply reply,
            long remaining,
            long grantedAt,
            long countsUntil) {
        this.refund = refund;
        this.isRefundable = request.isRefundable();
        this.key = request.key();
        this.permits = request.permits();
        this.reply = reply;
        this.remaining = remaining;
        this.grantedAt = grantedAt;
        this.countsUntil = countsUntil;
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
        if (!RELEASED.compareAndSet(this, false, true)) {
            return false;
        }
        if (outcome == Outcome.CANCELLED && refunds && refund != null) {
            refund.refund(key, permits, grantedAt, countsUntil);
        }
        return true;
    }

    @Override
    public String toString() {
        return "Permit[" + permits + (key == null ? "" : " of " + key) + (released ? ", released]" : ", held]");
    }
}
