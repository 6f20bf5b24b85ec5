package dev.weir.keyed;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.util.function.LongUnaryOperator;

/**
 * How the strategies of all keys are made at present; told apart by identity.
 *
 * @param spec for many strategies alike
 * @param limit the limit in force if it was turned since, or 0
 */
record Rule(StrategySpec spec, long limit, Ticker ticker) {
    private static final int STEPS = 256;

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

    /**
     * What a debt by an earlier rule comes to by this one, as strategies carry it over. Tried out at {@value #STEPS}
     * points from no debt to the greatest; one between them counts as the next greater.
     */
    LongUnaryOperator debtsFrom(Rule earlier) {
        long greatest = Math.max(1, carried(earlier, Long.MAX_VALUE / 2, false));
        long step = (greatest - 1) / STEPS + 1;
        long[] carried = new long[STEPS + 1];
        for (int i = 1; i <= STEPS; i++) {
            carried[i] = carried(earlier, Math.min(greatest, i * step), true);
        }
        return debt -> carried[(int) Math.min(STEPS, (debt - 1) / step + 1)];
    }

    private long carried(Rule earlier, long debt, boolean over) {
        Strategy strategy = earlier.create();
        strategy.owe(debt);
        return Math.min(Long.MAX_VALUE / 2, (over ? succeed(strategy, earlier) : strategy).debtNanos());
    }
}
