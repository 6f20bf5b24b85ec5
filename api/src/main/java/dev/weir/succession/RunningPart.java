package dev.weir.succession;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;

/** A part of a specification and its strategy. */
record RunningPart(StrategySpec spec, Strategy strategy) {
    /** Whether it is a rate of all requests, not one by key. */
    boolean isRate() {
        return isRate(strategy);
    }

    static boolean isRate(Strategy strategy) {
        return !strategy.traits().holds() && strategy.refillRate() != null;
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

    /** Sets the limit of a strategy, which may differ from that of its specification. */
    static void limitIs(Strategy strategy, long limit) {
        if (strategy.target() != limit) {
            strategy.setLimit(limit);
        }
    }
}
