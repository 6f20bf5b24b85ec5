package dev.weir.store.lease;

import dev.weir.store.lease.contract.SemaphoreContract;
import dev.weir.testkit.VirtualTime;
import java.util.function.LongSupplier;

/** The leased semaphore over a map by compare-and-set. */
class StoreSemaphoreTest extends SemaphoreContract {
    @Override
    protected VirtualStore empty(VirtualTime time, LongSupplier clock) {
        return new VirtualLeases(time, clock);
    }
}
