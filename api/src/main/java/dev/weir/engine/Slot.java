package dev.weir.engine;

import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import org.jspecify.annotations.Nullable;

/** All that one attempt reads, swapped as a whole. */
final class Slot {
    private final Engine engine;
    final StrategySpec spec;
    final Strategy strategy;
    final @Nullable Watch watch;
    private final boolean holds;
    private final boolean routes;

    /* Refusals without a hint, by reason: written and read with races. A record's final fields make any copy whole,
    and a copy with a limit that is no longer in force is replaced by whoever meets it. */
    private final @Nullable Rejection[] unhinted = new Rejection[Reason.values().length];

    Slot(Engine engine, StrategySpec spec, Strategy strategy, @Nullable Watch watch) {
        this.engine = engine;
        this.spec = spec;
        this.strategy = strategy;
        this.watch = watch;
        this.holds = strategy.holds();
        this.routes = strategy.routes();
    }

    Slot with(@Nullable Watch other) {
        return new Slot(engine, spec, strategy, other);
    }

    Strategy strategyFor(Request request) {
        return routes ? strategy.route(request) : strategy;
    }

    /** A permit for what was just granted; if it cannot be made, nothing stays held. */
    Permit permit(Strategy granted, Request request) {
        return holds ? heldPermit(granted, request, null) : SpentPermit.INSTANCE;
    }

    HeldPermit heldPermit(Strategy granted, Request request, @Nullable Trace trace) {
        try {
            return new HeldPermit(engine, granted, request, trace);
        } catch (Throwable noRoom) {
            granted.release(request, dev.weir.Outcome.CANCELLED);
            throw noRoom;
        }
    }

    Rejection rejection(Strategy refused, Request request, long answer) {
        Reason reason = refused.reason(request, answer);
        long limit = refused.limit();
        if (answer > 0 && answer != Strategy.UNTIL_RELEASE) {
            return new Rejection(engine.name, reason, answer, limit);
        }
        Rejection known = unhinted[reason.ordinal()];
        if (known == null || known.limit() != limit) {
            known = new Rejection(engine.name, reason, 0, limit);
            unhinted[reason.ordinal()] = known;
        }
        return known;
    }
}
