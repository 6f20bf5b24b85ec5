package dev.weir.engine;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A permit that is released to the strategy that granted it. 32 bytes. */
final class HeldPermit extends Permit {
    private static final int HELD = 0;
    private static final int RELEASED = 1;
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
    private volatile int state;

    private HeldPermit(ReleasePath path, Strategy strategy, Request request, @Nullable PermitDetails details) {
        this.path = path;
        this.strategy = strategy;
        this.request = request;
        this.details = details;
    }

    /** A permit for what was just granted. If there is no memory for it, the grant is released. */
    static HeldPermit of(ReleasePath path, Strategy granted, Request request, @Nullable PermitDetails details) {
        try {
            return new HeldPermit(path, granted, request, details);
        } catch (Throwable outOfMemory) {
            granted.release(request, Outcome.CANCELLED);
            throw outOfMemory;
        }
    }

    @Override
    public boolean release(Outcome outcome) {
        Objects.requireNonNull(outcome, "outcome");
        if (!STATE.compareAndSet(this, HELD, RELEASED)) {
            return releasedAgain();
        }
        if (details == null) {
            path.release(strategy, request, outcome);
        } else {
            path.release(strategy, request, outcome, details);
        }
        return true;
    }

    /* A permit that holds nothing and refunds nothing behaves like a SpentPermit: each release is accepted. */
    private boolean releasedAgain() {
        boolean holdsNothing = !strategy.traits().holds() && (details == null || !details.refundable);
        if (!holdsNothing) {
            path.counts.countDoubleRelease();
        }
        return holdsNothing;
    }

    @Override
    public boolean releaseAfter(Throwable thrown) {
        return release(path.failures.outcomeOf(Objects.requireNonNull(thrown, "thrown")));
    }

    @Override
    public String toString() {
        return "Permit[" + path.limiter + ", " + request + (state == HELD ? ", held]" : ", released]");
    }
}
