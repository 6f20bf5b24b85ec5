package consumers;

import dev.weir.Permit;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.micrometer.WeirMeters;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/** Meters of a limit, while it decides and is changed. */
public final class Micrometer {
    private Micrometer() {}

    public static void main(String[] args) {
        ManagedLimiter orders = Limiters.of("orders", new Semaphore(2));
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (WeirMeters meters = WeirMeters.of(orders)) {
            meters.bindTo(registry);
            int granted = 0;
            for (int i = 0; i < 3; i++) {
                granted += orders.tryAcquire() instanceof Permit ? 1 : 0;
            }
            Check.expect(2, granted);
            Check.expect(2.0, registry.get("weir.inflight").gauge().value());
            Check.expect(
                    1.0,
                    registry.get("weir.acquire")
                            .tag("outcome", "rejected")
                            .tag("reason", "concurrency")
                            .functionCounter()
                            .count());
            orders.dial().setLimit(3);
            Check.expect(3.0, registry.get("weir.limit").gauge().value());
            Check.expect(true, orders.tryAcquire() instanceof Permit);
        }
    }
}
