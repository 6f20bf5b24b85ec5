package dev.weir.store.contract;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.spi.StrategySpec;
import dev.weir.store.StoreLimit;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** The contract holds for states in a map, and finds a store in which calls at the same time do not see one another. */
class StatesLimitTest extends StoreLimitContract {
    private final States states = new States(0);
    private final VirtualTime time = new VirtualTime();

    @Override
    protected StoreLimit open(String name, StrategySpec spec) {
        return new StatesLimit(states, time, name, spec, false);
    }

    @Override
    protected void pass(Duration elapsed) {
        time.advance(elapsed);
    }

    @Test
    void R1_brokenTwin_callsAtTheSameTimeDoNotSeeOneAnother() {
        Late twin = new Late();
        assertThrows(AssertionError.class, twin::together);
    }

    private static final class Late extends StoreLimitContract {
        private final States states = new States(0);
        private final VirtualTime time = new VirtualTime();
        private final List<StatesLimit> limits = new ArrayList<>();

        @Override
        protected StoreLimit open(String name, StrategySpec spec) {
            StatesLimit limit = new StatesLimit(states, time, name, spec, true);
            limits.add(limit);
            return limit;
        }

        @Override
        protected void pass(Duration elapsed) {
            time.advance(elapsed);
        }

        @Override
        protected <T> T answer(CompletionStage<T> stage) throws Exception {
            limits.forEach(StatesLimit::flush);
            return super.answer(stage);
        }

        void together() throws Exception {
            R1_callsOfTwoInstancesAtTheSameTimeAreWithinTheBound();
        }
    }
}
