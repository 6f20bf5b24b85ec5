package dev.weir.adaptive;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.math.BigInteger;
import java.util.Objects;

/** A wish whose first strategy begins with a debt, in nanoseconds at a limit that may not be the one to begin with. */
record Owing(StrategySpec spec, long limit, long debtNanos) implements StrategySpec {
    Owing {
        Objects.requireNonNull(spec, "spec");
    }

    @Override
    public Strategy create(Ticker ticker) {
        Strategy strategy = spec.create(ticker);
        strategy.owe(at(strategy.limit()));
        return strategy;
    }

    /* As many permits take longer at a lower limit. Not all debts go by the limit: so never less than it was. */
    private long at(long present) {
        if (present >= limit) {
            return debtNanos;
        }
        return BigInteger.valueOf(debtNanos)
                .multiply(BigInteger.valueOf(limit))
                .divide(BigInteger.valueOf(present))
                .min(BigInteger.valueOf(Long.MAX_VALUE))
                .longValue();
    }

    @Override
    public Strategy succeed(Strategy running, Ticker ticker) {
        return spec.succeed(running, ticker);
    }
}
