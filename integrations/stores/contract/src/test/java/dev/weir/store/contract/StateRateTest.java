package dev.weir.store.contract;

import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import dev.weir.store.state.Operation;

/** The arithmetic in Java answers as the models do. */
class StateRateTest extends RateContract {
    private final States states = new States(0);

    @Override
    protected Reply step(
            StrategySpec spec, Operation operation, long permits, long grantedAt, String key, long micros) {
        return states.step(spec, operation, permits, grantedAt, key, micros);
    }
}
