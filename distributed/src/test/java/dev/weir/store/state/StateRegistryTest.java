package dev.weir.store.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.weir.Ticker;
import dev.weir.share.ShareRegistry;
import dev.weir.share.contract.ShareRegistryContract;
import dev.weir.spi.Registration;
import dev.weir.testkit.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** The contract over a store whose clock moves with that of the instances. */
class StateRegistryTest extends ShareRegistryContract {
    private static final Duration LEASE = Duration.ofSeconds(5);

    private final VirtualTime time = new VirtualTime();
    private final SimulatedStore store = new SimulatedStore(time);
    private final Map<ShareRegistry, SimulatedAccess> ways = new HashMap<>();

    @Override
    protected ShareRegistry open(String instance, Duration lease) {
        SimulatedAccess way = new SimulatedAccess(store, time);
        ShareRegistry registry = StateRegistry.of(way, "shop", instance, lease, time);
        ways.put(registry, way);
        return registry;
    }

    private SimulatedAccess way(ShareRegistry registry) {
        return Objects.requireNonNull(ways.get(registry));
    }

    @Override
    protected void cut(ShareRegistry registry) {
        way(registry).failing = true;
    }

    @Override
    protected void restore(ShareRegistry registry) {
        way(registry).failing = false;
    }

    @Override
    protected Ticker ticker() {
        return time;
    }

    @Override
    protected void until(String what, Callable<Boolean> condition) {
        for (int i = 0; i < 100_000; i++) {
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

    @Test
    void aRenewalWhoseAnswerIsLostMayHaveBeenMade() throws Exception {
        ShareRegistry a = open("a", LEASE);
        way(a).answersLost = true;
        assertThrows(IOException.class, a::renew);
        way(a).answersLost = false;
        assertEquals(LEASE, a.renew());
        a.close();
    }

    @Test
    void servicesAreApart() throws Exception {
        ShareRegistry a = open("a", LEASE);
        a.renew();
        ShareRegistry other = StateRegistry.of(way(a), "shop:", "a", LEASE, time);
        other.renew();
        assertTrue(a.replace("e", 0, "1"));
        assertEquals(0, other.read("e").version());
        a.close();
        assertEquals(1, other.read("e").members().size());
        other.close();
    }

    @Test
    void aClosedRegistryReadsNothingMore() throws Exception {
        ShareRegistry a = open("a", LEASE);
        a.watch("e", () -> {});
        time.advance(LEASE);
        assertTrue(store.readings.size() > 3);
        a.close();
        int before = store.readings.size();
        time.advance(LEASE);
        assertEquals(before, store.readings.size());
    }

    @Test
    void whereNothingIsWatchedNothingIsRead() throws Exception {
        ShareRegistry a = open("a", LEASE);
        Registration watch = a.watch("e", () -> {});
        watch.close();
        time.advance(LEASE);
        assertEquals(0, time.pendingAlarms());
        assertEquals(0, store.readings.size());
        a.close();
    }

    @Test
    void optionsAreChecked() {
        SimulatedAccess way = new SimulatedAccess(store, time);
        assertThrows(IllegalArgumentException.class, () -> StateRegistry.of(way, " ", "a", LEASE));
        assertThrows(IllegalArgumentException.class, () -> StateRegistry.of(way, "s", "a b", LEASE));
        assertThrows(IllegalArgumentException.class, () -> StateRegistry.of(way, "s", "a", Duration.ofMillis(99)));
    }
}
