package dev.weir.keyed;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.DialedSpec;
import dev.weir.succession.EvictedState;
import dev.weir.succession.PartSpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import dev.weir.succession.RampProgress;
import org.jspecify.annotations.Nullable;

/**
 * The specification of one limit that each key has. It equals another if their specifications do, with the same limit set,
 * whatever their strategies share.
 *
 * @param one the limit of one key
 * @param limit the limit that was set; 0 = that of the specification
 * @param shared the same {@link PartSpec#forMany for many} keys
 */
record PerKeySpec(StrategySpec one, long limit, PartSpec shared) implements PartSpec, DialedSpec {
    /** This limit for each key. */
    static PerKeySpec of(StrategySpec one, @Nullable StrategySpec before, Ticker ticker) {
        return new PerKeySpec(one, 0, Parts.of(Parts.of(one).forMany(ticker, before)));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PerKeySpec keyed && one.equals(keyed.one) && limit == keyed.limit;
    }

    @Override
    public int hashCode() {
        return one.hashCode();
    }

    @Override
    public StrategySpec undialed() {
        return one;
    }

    @Override
    public Class<?> kind() {
        return Parts.of(one).kind();
    }

    @Override
    public PartStrategy create(Ticker ticker) {
        return Parts.create(shared, ticker);
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
    public PerKeySpec withLimit(long next) {
        return new PerKeySpec(one, next, Parts.of(shared.withLimit(next)));
    }

    @Override
    public @Nullable EvictedState evictedState(Ticker ticker) {
        return shared.evictedState(ticker);
    }
}
