package dev.weir.succession;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A specification with another limit set for its strategies; if it has several parts, for that of the first. */
record LimitedSpec(PartSpec spec, long limit) implements PartSpec, DialedSpec {
    @Override
    public StrategySpec undialed() {
        return Parts.authored(spec);
    }

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
        PartStrategy created = Parts.create(spec, ticker);
        Parts.limitIs(created, limit);
        return created;
    }

    @Override
    public boolean adjust(Strategy running) {
        boolean adjusted = spec.adjust(running);
        if (adjusted) {
            Parts.limitIs(Parts.of(running), limit);
        }
        return adjusted;
    }

    @Override
    public List<StrategySpec> parts() {
        List<StrategySpec> parts = new ArrayList<>(spec.parts());
        parts.set(0, parts.size() == 1 ? this : Parts.of(parts.get(0)).withLimit(limit));
        return List.copyOf(parts);
    }

    @Override
    public PartStrategy compose(List<PartStrategy> parts, Ticker ticker) {
        return spec.compose(parts, ticker);
    }

    @Override
    public StrategySpec after(@Nullable RampProgress ramp, Ticker ticker) {
        return new LimitedSpec(Parts.of(spec.after(ramp, ticker)), limit);
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
