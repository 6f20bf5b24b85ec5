package dev.weir.keyed;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;

/**
 * How the strategies of all keys are made at present; told apart by identity.
 *
 * @param spec for many strategies alike
 * @param limit the limit in force if it was turned since, or 0
 */
record Rule(StrategySpec spec, long limit, Ticker ticker) {
    Strategy create() {
        return turned(spec.create(ticker));
    }

    /** The strategy by this rule that takes over from one that was made by an earlier rule: itself, or another. */
    Strategy succeed(Strategy running, Rule earlier) {
        return turned(earlier.spec == spec ? running : spec.succeed(running, ticker));
    }

    private Strategy turned(Strategy strategy) {
        if (limit > 0 && strategy.limit() != limit) {
            strategy.setLimit(limit);
        }
        return strategy;
    }
}
