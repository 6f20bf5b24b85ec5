package dev.weir.spi;

import dev.weir.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A specification with another limit set for its strategies; if it has several parts, for that of the first. */
record LimitedSpec(StrategySpec spec, long limit) implements StrategySpec {
    @Override
    public Class<?> kind() {
        return spec.kind();
    }

    @Override
    public @Nullable List<String> countsBy() {
        return spec.countsBy();
    }

    @Override
    public Strategy create(Ticker ticker) {
        return set(spec.create(ticker));
    }

    private Strategy set(Strategy strategy) {
        if (strategy.target() != limit) {
            strategy.setLimit(limit);
        }
        return strategy;
    }

    @Override
    public boolean adjust(Strategy running) {
        boolean adjusted = spec.adjust(running);
        if (adjusted) {
            set(running);
        }
        return adjusted;
    }

    @Override
    public List<StrategySpec> parts() {
        List<StrategySpec> parts = new ArrayList<>(spec.parts());
        parts.set(0, parts.size() == 1 ? this : parts.get(0).withLimit(limit));
        return List.copyOf(parts);
    }

    @Override
    public Strategy compose(List<Strategy> parts, Ticker ticker) {
        return spec.compose(parts, ticker);
    }

    @Override
    public StrategySpec after(@Nullable RampProgress ramp, Ticker ticker) {
        return new LimitedSpec(spec.after(ramp, ticker), limit);
    }

    @Override
    public @Nullable RampProgress sharedRamp() {
        return spec.sharedRamp();
    }

    @Override
    public StrategySpec withLimit(long other) {
        return spec.withLimit(other);
    }

    @Override
    public @Nullable EvictedState evictedState(Ticker ticker) {
        return spec.evictedState(ticker);
    }
}
