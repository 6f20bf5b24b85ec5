package dev.weir.engine;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A permit with something to return, to the strategy that granted it. 32 bytes. */
final class HeldPermit extends Permit {
    private static final int OUT = 0;
    private static final int RELEASED = 1;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(HeldPermit.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Engine engine;
    private final Strategy strategy;
    private final Request request;
    private final @Nullable Trace trace;
    private volatile int state;

    HeldPermit(Engine engine, Strategy strategy, Request request, @Nullable Trace trace) {
        this.engine = engine;
        this.strategy = strategy;
        this.request = request;
        this.trace = trace;
    }

    @Override
    public boolean release(Outcome outcome) {
        Objects.requireNonNull(outcome, "outcome");
        if (!STATE.compareAndSet(this, OUT, RELEASED)) {
            return !countsOnce() || countedTwice();
        }
        if (trace == null) {
            engine.giveBack(strategy, request, outcome);
        } else {
            engine.giveBackTraced(this, strategy, request, outcome, trace);
        }
        return true;
    }

    @Override
    public boolean releaseAfter(Throwable thrown) {
        return release(engine.failures.outcomeOf(Objects.requireNonNull(thrown, "thrown")));
    }

    private boolean countsOnce() {
        return strategy.holds() || (trace != null && trace.refundable);
    }

    private boolean countedTwice() {
        engine.counts.countDoubleRelease();
        return false;
    }

    boolean holds() {
        return strategy.holds();
    }

    Trace trace() {
        return Objects.requireNonNull(trace);
    }

    @Override
    public String toString() {
        return "Permit[" + engine.name() + ", " + request + (state == OUT ? ", out]" : ", released]");
    }
}
