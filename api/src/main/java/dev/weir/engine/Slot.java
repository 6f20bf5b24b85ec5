package dev.weir.engine;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.spi.InFlight;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import org.jspecify.annotations.Nullable;

/** All that one attempt reads, swapped as a whole. */
final class Slot {
    private final Engine engine;
    final StrategySpec spec;
    final Strategy strategy;
    final @Nullable Watch watch;

    /** The same as long as the strategy is not replaced, though it may be put in force again later. */
    final Object era;

    /** Whether a cancelled permit of it is refunded by the time it was granted at. */
    final boolean refunds;

    /** Whether a permit has something to return. */
    final boolean holds;

    /** Whether a change is going on, so that this strategy grants nothing any more. */
    final boolean changing;

    private final boolean routes;

    /** Whether a refusal depends on more of a request than its permits. */
    final boolean explains;

    /* The limit last set and the refusal that needs no more: written when the limit changes, read at any time after. A
    refusal may still name the limit of a moment ago. */
    private volatile long limit;
    private volatile Rejection full;

    /** What the limit last set can grant. */
    private volatile Grantable grantable;

    private volatile @Nullable String limitSetBy;

    Slot(Engine engine, StrategySpec spec, Strategy strategy, @Nullable Watch watch, Object era) {
        this(engine, spec, strategy, watch, era, false);
    }

    private Slot(
            Engine engine, StrategySpec spec, Strategy strategy, @Nullable Watch watch, Object era, boolean changing) {
        this.engine = engine;
        this.spec = spec;
        this.strategy = strategy;
        this.watch = watch;
        this.era = era;
        this.changing = changing;
        this.refunds = strategy.refunds();
        this.holds = strategy.holds();
        this.routes = strategy.routes();
        this.explains = routes || strategy.explains();
        this.limit = strategy.limit();
        this.full = new Rejection(engine.name, Reason.CONCURRENCY, 0, limit);
        this.grantable = new Grantable(engine, spec, strategy.target());
    }

    Slot with(@Nullable Watch other) {
        Slot same = new Slot(engine, spec, strategy, other, era);
        same.limitSetByAsIn(this);
        return same;
    }

    void limitSetByAsIn(Slot before) {
        limitSetBy = before.limitSetBy;
    }

    /** The same while it is being replaced. */
    Slot changing() {
        return new Slot(engine, spec, strategy, watch, era, true);
    }

    /** Another limit than the specification's was set. */
    void limitIs(long set, String by) {
        limit = set;
        full = new Rejection(engine.name, Reason.CONCURRENCY, 0, set);
        grantable = new Grantable(engine, spec, set);
        limitSetBy = by;
    }

    Watch watchOrNone() {
        return watch == null ? Watch.NONE : watch;
    }

    Grantable grantable() {
        return grantable;
    }

    Snapshot snapshot(long inFlight) {
        return new Snapshot(
                engine.name,
                spec,
                strategy.limit(),
                inFlight,
                watch == null ? 1 : watch.enforced,
                watch == null || watch.tracker == null ? 0 : watch.tracker.oldestNanos(),
                Snapshot.owedNanos(strategy),
                limitSetBy,
                strategy.details());
    }

    /** The strategy, if it alone decides: it routes nowhere, and nothing watches. */
    @Nullable
    Strategy direct() {
        return watch == null && !routes && !changing ? strategy : null;
    }

    Strategy strategyFor(Request request) {
        return routes ? strategy.route(request) : strategy;
    }

    /* The plain counter is named, here and where it is released, because a process with three kinds of strategies has
    no call of theirs inlined; a comparison costs less than such a call. */
    static long ask(Strategy strategy, Request request) {
        return strategy instanceof InFlight counter ? counter.acquire(request) : strategy.acquire(request);
    }

    static void release(Strategy strategy, Request request, Outcome outcome) {
        if (strategy instanceof InFlight counter) {
            counter.release(request, outcome);
        } else {
            strategy.release(request, outcome);
        }
    }

    /** A permit for what was just granted. */
    static Permit permit(Engine engine, Strategy granted, Request request) {
        return granted instanceof InFlight || granted.holds()
                ? heldPermit(engine, granted, request, null)
                : SpentPermit.INSTANCE;
    }

    /** A permit for what was just granted; if it cannot be made, nothing stays held. */
    static HeldPermit heldPermit(Engine engine, Strategy granted, Request request, @Nullable Trace trace) {
        try {
            return new HeldPermit(engine, granted, request, trace);
        } catch (Throwable noRoom) {
            granted.release(request, Outcome.CANCELLED);
            throw noRoom;
        }
    }

    Rejection rejection(Strategy refused, Request request, long answer) {
        if (explains) {
            return explained(refused, request, answer);
        }
        if (answer == Strategy.UNTIL_RELEASE) {
            return full;
        }
        return answer < 0
                ? new Rejection(engine.name, Reason.NEVER, 0, limit)
                : new Rejection(engine.name, Reason.RATE, answer, limit);
    }

    private Rejection explained(Strategy refused, Request request, long answer) {
        long wait = answer < 0 || answer == Strategy.UNTIL_RELEASE ? 0 : answer;
        return new Rejection(engine.name, refused.reason(request, answer), wait, refused.limit());
    }
}
