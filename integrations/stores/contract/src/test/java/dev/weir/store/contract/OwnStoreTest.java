package dev.weir.store.contract;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.AsyncLimiter;
import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.KeyValues;
import dev.weir.share.Share;
import dev.weir.share.ShareRegistry;
import dev.weir.store.Mode;
import dev.weir.store.Store;
import dev.weir.store.WhenAway;
import dev.weir.store.lease.StateLeases;
import dev.weir.store.lease.StoreSemaphore;
import dev.weir.store.rates.StateLimits;
import dev.weir.store.state.StateRegistry;
import dev.weir.store.state.StateStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The code that the page on stores of one's own shows. */
class OwnStoreTest {
    private enum Colour {
        RED
    }

    @Test
    void aStoreHasLimitsAndARegistry() throws Exception {
        StateStore states = new MapStore(new MapStore.Server(() -> 1_700_000_000_000_000L));
        // #region use
        Store store = new StateLimits(states);
        AsyncLimiter search =
                store.limiter("search", TokenBucket.of(100, Duration.ofSeconds(1)), Mode.exact(), WhenAway.local(8));
        Decision decision = search.acquire(Request.forKey("ann"), Duration.ZERO);
        // #endregion use
        assertInstanceOf(Permit.class, decision);
        ShareRegistry registry = StateRegistry.of(states, "shop", "instance-1", Duration.ofSeconds(2));
        ManagedLimiter orders = Limiters.of("orders", new Semaphore(1));
        Share share = Share.builder("orders", registry, 60).degraded(5).limiting(orders);
        await().until(() -> share.share() == 60);
        assertEquals(List.of("instance-1"), registry.read("orders").members());
        share.close();
        registry.close();
    }

    @Test
    void aStoreHasSemaphores() throws Exception {
        StateStore states = new MapStore(new MapStore.Server(() -> 1_700_000_000_000_000L));
        List<String> exported = new CopyOnWriteArrayList<>();
        StoreSemaphore export = StoreSemaphore.builder(
                        "export", new Semaphore(10), StateLeases.of(states), WhenAway.closed())
                .build();
        export.run(Request.ONE, Duration.ofSeconds(5), () -> exported.add("all"));
        assertEquals(List.of("all"), exported);
        export.close();
    }

    @Test
    void keysThatDifferHaveTextsThatDiffer() {
        List<@Nullable Object> keys = new ArrayList<>();
        keys.add(null);
        keys.addAll(
                List.of("", "a", "A", "a|b", "1", 1, 1L, 1.0, true, "true", 'a', Colour.RED, "RED", new UUID(0, 1)));
        keys.add(KeyValues.of("a", "b"));
        keys.add(KeyValues.of("a|b", ""));
        keys.add(KeyValues.of("a", "b", ""));
        keys.add(KeyValues.of("a%7Cb", ""));
        Map<String, @Nullable Object> texts = new HashMap<>();
        for (Object key : keys) {
            String text = StateLimits.text(key);
            assertTrue(text != null && !texts.containsKey(text), () -> key + " as " + text);
            texts.put(text, key);
        }
        assertEquals(null, StateLimits.text(new Object()));
    }
}
