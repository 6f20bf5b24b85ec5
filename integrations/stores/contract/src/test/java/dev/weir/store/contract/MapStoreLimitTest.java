package dev.weir.store.contract;

import dev.weir.spi.StrategySpec;
import dev.weir.store.StoreLimit;
import dev.weir.store.rates.StateLimits;
import dev.weir.store.rates.StateRates;
import dev.weir.store.state.StateLimit;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;

/** A limit by compare-and-set over a store in a map. */
class MapStoreLimitTest extends StoreLimitContract {
    private final VirtualTime time = new VirtualTime();
    private final MapStore.Server server = new MapStore.Server(() -> 1_000_000 + time.read() / 1_000);

    @Override
    protected StoreLimit open(String name, StrategySpec spec) {
        return StateLimit.of(new MapStore(server), name, StateRates.of(spec), StateLimits::text, time, time);
    }

    @Override
    protected void pass(Duration elapsed) {
        time.advance(elapsed);
    }
}
