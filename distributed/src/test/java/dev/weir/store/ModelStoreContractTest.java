package dev.weir.distributed.remote;

import dev.weir.distributed.contract.RemoteLimitContract;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;

/** The model store that the tests of the limiter use is one. */
class ModelStoreContractTest extends RemoteLimitContract {
    private final VirtualTime time = new VirtualTime();

    @Override
    protected RemoteLimit open(long permits, Duration period, long burst) {
        return new ModelStore(time, permits, period.toNanos(), burst).direct();
    }

    @Override
    protected void pass(Duration elapsed) {
        time.advance(elapsed);
    }
}
