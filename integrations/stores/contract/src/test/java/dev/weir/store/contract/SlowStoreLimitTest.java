package dev.weir.store.contract;

import dev.weir.spi.StrategySpec;
import dev.weir.store.StoreLimit;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** The contract holds for a store of which each answer takes longer than the periods of some limits. */
class SlowStoreLimitTest extends StoreLimitContract {
    private static final Duration ROUND_TRIP = Duration.ofMillis(110);

    private final States states = new States(0);
    private final VirtualTime time = new VirtualTime();

    @Override
    protected StoreLimit open(String name, StrategySpec spec) {
        return new StatesLimit(states, time, name, spec, false);
    }

    @Override
    protected <T> T answer(CompletionStage<T> stage) throws Exception {
        T answer = super.answer(stage);
        time.advance(ROUND_TRIP);
        return answer;
    }

    @Override
    protected void pass(Duration elapsed) {
        time.advance(elapsed);
    }
}
