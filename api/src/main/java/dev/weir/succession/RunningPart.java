package dev.weir.succession;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.util.List;

/**
 * A part of a specification and its strategy.
 *
 * @param counted whether a counter of all permits includes what it has in flight, although it is not in force
 * @param twice counters of the permits that it and a limit by key in force both include
 */
record RunningPart(StrategySpec spec, Strategy strategy, boolean counted, List<InFlight> twice) {
    /** Whether it is a rate of all requests, not one by key. */
    boolean isRate() {
        return isRate(strategy);
    }

    static boolean isRate(Strategy strategy) {
        return !strategy.traits().holds() && strategy.refillRate() != null;
    }

    /** Whether it is of the same kind as another specification. */
    boolean isLike(StrategySpec other) {
        return other.kind() == spec.kind();
    }

    /** Adjusts the strategy in place, with a debt or without; false if it cannot be adjusted and was not changed. */
    boolean adjustTo(StrategySpec other, Ticker ticker) {
        StrategySpec next = other.after(strategy.ramp(), ticker);
        boolean beginsToRise = next.sharedRamp() != null && strategy.ramp() == null;
        if (beginsToRise || !next.adjust(IndebtedRate.inner(strategy))) {
            return false;
        }
        if (strategy instanceof IndebtedRate indebted) {
            indebted.adjusted(next.sharedRamp());
        }
        return true;
    }
}
