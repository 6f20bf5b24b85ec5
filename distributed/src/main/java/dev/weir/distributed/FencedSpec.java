package dev.weir.distributed;

import dev.weir.Ticker;
import dev.weir.spi.EvictedState;
import dev.weir.spi.RampProgress;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A specification whose strategy grants only while a fence is open. What was consumed stays consumed meanwhile. */
record FencedSpec(StrategySpec spec, Fence fence) implements StrategySpec {
    @Override
    public Strategy create(Ticker ticker) {
        return new FencedStrategy(spec.create(ticker), fence);
    }

    @Override
    public List<StrategySpec> parts() {
        return spec.parts();
    }

    @Override
    public Strategy compose(List<Strategy> parts, Ticker ticker) {
        return new FencedStrategy(spec.compose(parts, ticker), fence);
    }

    @Override
    public void checkSuccessor(StrategySpec next) {
        fence.checkSuccessor(next);
    }

    @Override
    public StrategySpec after(@Nullable RampProgress ramp, Ticker ticker) {
        return new FencedSpec(spec.after(ramp, ticker), fence);
    }

    @Override
    public @Nullable RampProgress sharedRamp() {
        return spec.sharedRamp();
    }

    @Override
    public StrategySpec withLimit(long limit) {
        return new FencedSpec(spec.withLimit(limit), fence);
    }

    @Override
    public @Nullable EvictedState evictedState(Ticker ticker) {
        return spec.evictedState(ticker);
    }

    @Override
    public String toString() {
        return spec + " by a share";
    }
}
