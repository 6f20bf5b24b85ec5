package dev.weir.share;

import static org.junit.jupiter.api.Assertions.fail;

import dev.weir.Ticker;
import dev.weir.share.contract.MemoryRegistry;
import dev.weir.share.contract.ShareRegistryContract;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.concurrent.Callable;

/** The contract, and that it can be kept. */
final class MemoryRegistryTest extends ShareRegistryContract {
    private final VirtualTime time = new VirtualTime();
    private final MemoryRegistry server = new MemoryRegistry(time, time);

    @Override
    protected ShareRegistry open(String instance, Duration lease) {
        return server.open(instance, lease);
    }

    @Override
    protected void cut(ShareRegistry registry) {
        server.cut(registry.instance());
    }

    @Override
    protected void restore(ShareRegistry registry) {
        server.restore(registry.instance());
    }

    @Override
    protected Ticker ticker() {
        return time;
    }

    @Override
    protected void until(String what, Callable<Boolean> condition) {
        for (int i = 0; i < 10_000; i++) {
            if (isTrue(condition)) {
                return;
            }
            time.advance(Duration.ofMillis(10));
        }
        fail(what + " did not come");
    }

    private static boolean isTrue(Callable<Boolean> condition) {
        try {
            return condition.call();
        } catch (Exception unreachable) {
            return false;
        }
    }
}
