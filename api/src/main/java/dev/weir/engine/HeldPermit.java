package dev.weir.engine;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.internal.Undoable;
import dev.weir.spi.Strategy;
import dev.weir.succession.ByCost;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A permit that is released to the strategy that granted it. 32 bytes. */
final class HeldPermit extends Permit implements Undoable {
    private static final int HELD = 0;
    private static final int RELEASED = 1;

    /** Of a permit that holds nothing and, like a {@link SpentPermit}, takes every release. */
    private static final int SPENT = 2;

    private static final int SETTLED = 4;

    /** Of a permit that can be settled. A limit by key may no longer be by cost when it is. */
    private static final int BY_COST = 8;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(HeldPermit.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ReleasePath path;
    private final Strategy strategy;
    private final Request request;
    private final @Nullable PermitDetails details;
    /* Plain before the permit is handed out; the thread whose CAS succeeds releases, no other. */
    private volatile int state;

    private HeldPermit(
            ReleasePath path, Strategy strategy, Request request, @Nullable PermitDetails details, boolean once) {
        this.path = path;
        this.strategy = strategy;
        this.request = request;
        this.details = details;
        boolean isByCost =
                details != null && request.isSettled() && strategy instanceof ByCost limit && limit.isByCost();
        if (!once || isByCost) {
            STATE.set(this, (once ? HELD : SPENT) | (isByCost ? BY_COST : 0));
        }
    }

    /** A permit for what was just granted; {@code once} = a second release is refused. Without memory, the grant is released. */
    static HeldPermit of(
            ReleasePath path, Strategy granted, Request request, @Nullable PermitDetails details, boolean once) {
        try {
            return new HeldPermit(path, granted, request, details, once);
        } catch (Throwable outOfMemory) {
            granted.release(request, Outcome.CANCELLED);
            throw outOfMemory;
        }
    }

    @Override
    public boolean release(Outcome outcome) {
        return release(Objects.requireNonNull(outcome, "outcome"), request.isRefundable());
    }

    @Override
    public void undo() {
        boolean unused = release(Outcome.CANCELLED, true);
    }

    private boolean release(Outcome outcome, boolean refunds) {
        boolean first = STATE.compareAndSet(this, HELD, RELEASED);
        if (!first && !becomes(RELEASED, RELEASED)) {
            return releasedAgain();
        }
        boolean isRefunded = refunds && (first || (state & SETTLED) == 0);
        if (details == null) {
            path.release(strategy, request, outcome, isRefunded);
        } else {
            path.release(strategy, request, outcome, isRefunded, details);
        }
        return true;
    }

    /* Adds a bit to the state, unless it has one of these. */
    private boolean becomes(int bit, int unless) {
        for (int now = state; (now & unless) == 0; now = state) {
            if (STATE.compareAndSet(this, now, now | bit)) {
                return true;
            }
        }
        return false;
    }

    private boolean releasedAgain() {
        boolean accepted = (state & SPENT) != 0;
        if (!accepted) {
            path.counts.doubleReleases.getAndIncrement();
        }
        return accepted;
    }

    @Override
    public boolean settle(long actual) {
        boolean unsettled = super.settle(actual);
        if (details == null || (state & BY_COST) == 0 || !(strategy instanceof ByCost limit)) {
            return unsettled;
        }
        if (!becomes(SETTLED, SETTLED | RELEASED)) {
            path.counts.settledAgain.getAndIncrement();
            return false;
        }
        path.settle(limit, request, actual, details.grantedAt);
        return true;
    }

    @Override
    public boolean releaseAfter(Throwable thrown) {
        return release(path.failures.outcomeOf(Objects.requireNonNull(thrown, "thrown")));
    }

    @Override
    public String toString() {
        return "Permit[" + path.limiter + ", " + request + ((state & RELEASED) == 0 ? ", held]" : ", released]");
    }
}
