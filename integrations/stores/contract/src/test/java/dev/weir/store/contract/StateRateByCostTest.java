package dev.weir.store.contract;

import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import dev.weir.store.state.Operation;
import java.time.Duration;

/** The arithmetic in Java answers for limits by cost as the models do. */
class StateRateByCostTest extends SettledRateContract {
    /* A fixed window knows what has leaked for twice as long as it counts, and the model for ever. */
    private final States states = new States(Duration.ofDays(1).toMillis() * 1_000);

    @Override
    protected Reply step(
            StrategySpec spec, Operation operation, long permits, long grantedAt, String key, long micros) {
        return states.step(spec, operation, permits, grantedAt, key, micros);
    }
}
