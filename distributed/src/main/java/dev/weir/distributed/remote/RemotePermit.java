package dev.weir.distributed.remote;

import dev.weir.Outcome;
import dev.weir.Permit;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A permit of a limit that a store counts. Cancelled, it is refunded if the store has counted it. */
final class RemotePermit extends Permit {
    /** Refunds permits of a key, now or soon. */
    @FunctionalInterface
    interface Refund {
        void refund(@Nullable Object key, long permits);
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
    private final @Nullable Object key;
    private final long permits;
    private final @Nullable Reply reply;
    private volatile boolean released;

    RemotePermit(@Nullable Refund refund, @Nullable Object key, long permits, @Nullable Reply reply) {
        this.refund = refund;
        this.key = key;
        this.permits = permits;
        this.reply = reply;
    }

    @Override
    public @Nullable Quota quota() {
        return reply == null ? null : new Quota(reply.limit(), reply.remaining(), reply.resetNanos());
    }

    @Override
    public boolean release(Outcome outcome) {
        Objects.requireNonNull(outcome, "outcome");
        if (!RELEASED.compareAndSet(this, false, true)) {
            return false;
        }
        if (outcome == Outcome.CANCELLED && refund != null) {
            refund.refund(key, permits);
        }
        return true;
    }

    @Override
    public String toString() {
        return "Permit[" + permits + (key == null ? "" : " of " + key) + (released ? ", released]" : ", held]");
    }
}
