package dev.weir.keyed;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Succession;

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

    /** The rule of another specification by the same ticker. */
    Rule next(Keyed spec) {
        return new Rule(spec.perKey().forMany(ticker), 0, ticker);
    }

    /** The strategy by this rule that takes over from one that was made by an earlier rule: itself, or another. */
    Strategy succeed(Strategy running, Rule earlier) {
        return turned(
                earlier.spec == spec
                        ? running
                        : Succession.of(earlier.spec, running)
                                .next(spec, ticker, () -> {})
                                .strategy());
    }

    private Strategy turned(Strategy strategy) {
        if (limit > 0 && strategy.target() != limit) {
            strategy.setLimit(limit);
        }
        return strategy;
    }
}
