package dev.weir.keyed;

import dev.weir.Ticker;
import dev.weir.spi.EvictedState;
import dev.weir.spi.RampProgress;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import org.jspecify.annotations.Nullable;

/**
 * The specification of one limit that each key has. It equals another if their specifications do, whatever their strategies
 * share.
 *
 * @param one the limit of one key
 * @param shared the same {@link StrategySpec#forMany for many} keys
 */
record PerKeySpec(StrategySpec one, StrategySpec shared) implements StrategySpec {
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PerKeySpec keyed && one.equals(keyed.one);
    }

    @Override
    public int hashCode() {
        return one.hashCode();
    }

    @Override
    public Class<?> kind() {
        return one.kind();
    }

    @Override
    public Strategy create(Ticker ticker) {
        return shared.create(ticker);
    }

    @Override
    public boolean adjust(Strategy running) {
        return shared.adjust(running);
    }

    @Override
    public StrategySpec after(@Nullable RampProgress ramp, Ticker ticker) {
        return shared.after(ramp, ticker);
    }

    @Override
    public @Nullable RampProgress sharedRamp() {
        return shared.sharedRamp();
    }

    @Override
    public PerKeySpec withLimit(long limit) {
        return new PerKeySpec(one.withLimit(limit), shared.withLimit(limit));
    }

    @Override
    public @Nullable EvictedState evictedState(Ticker ticker) {
        return shared.evictedState(ticker);
    }
}
