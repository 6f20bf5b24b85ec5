package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.EvictedState;
import dev.weir.succession.IndebtedRate;
import dev.weir.succession.PartSpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import dev.weir.succession.RampProgress;
import org.jspecify.annotations.Nullable;

/** A {@link WarmUp} of one limit with a ramp that has begun, which several strategies may share. */
record StartedWarmUp(PartSpec target, RampProgress sharedRamp) implements PartSpec {
    @Override
    public Strategy create(Ticker ticker) {
        PartStrategy inner = Parts.create(target, ticker);
        return inner.traits().holds() || inner.account() == null
                ? WarmingLimit.of(inner, target, sharedRamp)
                : IndebtedRate.rising(inner, sharedRamp);
    }

    @Override
    public boolean adjust(Strategy running) {
        return running instanceof WarmingLimit warming ? warming.adjust(target, sharedRamp) : target.adjust(running);
    }

    @Override
    public StartedWarmUp forMany(Ticker ticker, @Nullable StrategySpec before) {
        StrategySpec inner = before instanceof StartedWarmUp started ? started.target : before;
        return new StartedWarmUp(Parts.of(target.forMany(ticker, inner)), sharedRamp);
    }

    @Override
    public StartedWarmUp withLimit(long limit) {
        return new StartedWarmUp(Parts.of(target.withLimit(limit)), sharedRamp);
    }

    @Override
    public @Nullable EvictedState evictedState(Ticker ticker) {
        return target.evictedState(ticker);
    }
}
