package dev.weir.store;

import dev.weir.store.contract.StoreLimitContract;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;

/** The model store that the tests of the limiter use is one. */
class ModelStoreContractTest extends StoreLimitContract {
    private final VirtualTime time = new VirtualTime();

    @Override
    protected StoreLimit open(long permits, Duration period, long burst) {
        return new ModelStore(time, permits, period.toNanos(), burst).direct();
    }

    @Override
    protected void pass(Duration elapsed) {
        time.advance(elapsed);
    }
}
