package dev.weir.share;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.EvictedState;
import dev.weir.succession.PartSpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import dev.weir.succession.RampProgress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A specification whose strategy grants only while a fence is open. What was consumed stays consumed meanwhile. */
record FencedSpec(StrategySpec spec, Fence fence) implements PartSpec {
    @Override
    public Strategy create(Ticker ticker) {
        return new FencedStrategy(Parts.create(spec, ticker), fence);
    }

    @Override
    public List<StrategySpec> parts() {
        return spec.parts();
    }

    @Override
    public PartStrategy compose(List<PartStrategy> parts, Ticker ticker) {
        return new FencedStrategy(Parts.of(spec).compose(parts, ticker), fence);
    }

    @Override
    public void checkSuccessor(StrategySpec next) {
        fence.checkSuccessor(next);
    }

    @Override
    public StrategySpec after(@Nullable RampProgress ramp, Ticker ticker) {
        return new FencedSpec(Parts.of(spec).after(ramp, ticker), fence);
    }

    @Override
    public @Nullable RampProgress sharedRamp() {
        return Parts.of(spec).sharedRamp();
    }

    @Override
    public StrategySpec withLimit(long limit) {
        return new FencedSpec(Parts.of(spec).withLimit(limit), fence);
    }

    @Override
    public @Nullable EvictedState evictedState(Ticker ticker) {
        return Parts.of(spec).evictedState(ticker);
    }

    @Override
    public String toString() {
        return spec + " by a share";
    }
}
