package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.spi.EvictedState;
import dev.weir.spi.RampProgress;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.Succession;
import org.jspecify.annotations.Nullable;

/** A {@link WarmUp} of one limit with a ramp that has begun, which several strategies may share. */
record StartedWarmUp(StrategySpec target, RampProgress sharedRamp) implements StrategySpec {
    @Override
    public Strategy create(Ticker ticker) {
        Strategy inner = target.create(ticker);
        return inner.traits().holds() || inner.refillRate() == null
                ? WarmingLimit.of(inner, target, sharedRamp)
                : Succession.rising(inner, sharedRamp);
    }

    @Override
    public boolean adjust(Strategy running) {
        return running instanceof WarmingLimit warming ? warming.adjust(target, sharedRamp) : target.adjust(running);
    }

    @Override
    public StartedWarmUp forMany(Ticker ticker, @Nullable StrategySpec before) {
        StrategySpec inner = before instanceof StartedWarmUp started ? started.target : before;
        return new StartedWarmUp(target.forMany(ticker, inner), sharedRamp);
    }

    @Override
    public StartedWarmUp withLimit(long limit) {
        return new StartedWarmUp(target.withLimit(limit), sharedRamp);
    }

    @Override
    public @Nullable EvictedState evictedState(Ticker ticker) {
        return target.evictedState(ticker);
    }
}
