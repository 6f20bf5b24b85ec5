package dev.weir.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A store that is back after an outage in which permits of very many keys were granted. */
class RecoveryTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int KEYS = 100_000;
    private static final long MICRO = 1_000;

    private final VirtualTime time = new VirtualTime();
    private final ModelStore store = new ModelStore(time, 10, HOUR.toNanos(), 10);
    private final TestNetwork network = new TestNetwork(time);

    private StoreRateLimiter limiter(Consumer<StoreRateLimiterBuilder> options) {
        StoreRateLimiterBuilder builder = StoreRateLimiter.builder(
                        "api",
                        TokenBucket.of(10, HOUR).withCapacity(10),
                        spec -> store.over(network),
                        WhenAway.local(2))
                .local((spec, place) -> TokenBucket.of(10_000_000, SECOND))
                .ticker(time)
                .executor(Runnable::run);
        options.accept(builder);
        return builder.build();
    }

    private CompletableFuture<Decision> ask(StoreRateLimiter limiter, int key) {
        return limiter.acquireAsync(new Request(1, 0, "key " + key, Request.NO_DEADLINE), Duration.ZERO);
    }

    /** Grants one permit of each key while the store fails. */
    private void granted(StoreRateLimiter limiter, int keys) {
        network.failing = true;
        for (int key = 0; key < keys; key++) {
            assertInstanceOf(Permit.class, ask(limiter, key).join());
        }
        assertFalse(limiter.status().up());
        assertEquals(keys, limiter.status().localDecisions());
    }

    /** The store answers again, one command after the other. */
    private void back(StoreRateLimiter limiter) {
        network.failing = false;
        network.work = 5 * MICRO;
        time.advance(Duration.ofMillis(101));
        assertTrue(limiter.status().up());
    }

    private long localIn(StoreRateLimiter limiter, int millis) {
        long before = limiter.status().localDecisions();
        for (int i = 0; i < millis; i++) {
            CompletableFuture<Decision> unused = ask(limiter, i * 7919 % (2 * KEYS));
            time.advance(1_000 * MICRO);
        }
        return limiter.status().localDecisions() - before;
    }

    @Test
    void D7_aHundredThousandKeysAreCountedWithinASecondWhileTheStoreDecides() {
        StoreRateLimiter limiter = limiter(options -> {});
        granted(limiter, KEYS);
        back(limiter);
        assertEquals(0, localIn(limiter, 900));
        assertEquals(KEYS, store.charged);
        assertEquals(0, limiter.status().timeouts());
        assertEquals(0, limiter.status().uncountedPermits());
    }

    @Test
    void D7_threeTimesTheKeysOfATableAreCountedToo() {
        StoreRateLimiter limiter = limiter(options -> options.maxKeys(KEYS / 3));
        granted(limiter, KEYS);
        back(limiter);
        time.advance(SECOND);
        assertEquals(KEYS, store.charged);
        assertEquals(0, limiter.status().uncountedPermits());
    }

    @Test
    void D7_brokenTwin_allAtOnceWaitTooLong() {
        StoreRateLimiter limiter = limiter(options -> options.maxInFlight(KEYS).window = Integer.MAX_VALUE);
        granted(limiter, KEYS);
        back(limiter);
        time.advance(SECOND);
        assertTrue(limiter.status().timeouts() > 1_000);
    }

    @Test
    void D7_theChargeOfAKeyGoesBeforeItsNextRequest() {
        StoreRateLimiter limiter = limiter(options -> {});
        granted(limiter, KEYS);
        back(limiter);
        for (int key = KEYS - 1; key > KEYS - 100; key--) {
            CompletableFuture<Decision> asked = ask(limiter, key);
            time.advance(2_000 * MICRO);
            Permit permit = assertInstanceOf(Permit.class, asked.getNow(null));
            Permit.Quota quota = permit.quota();
            assertNotNull(quota);
            assertEquals(8, quota.remaining(), "one before, one now");
        }
        assertTrue(store.charged < KEYS);
    }

    /** What is on its way then is in doubt, and nothing else. */
    @Test
    void D7_aStoreThatGoesAwayAgainLosesAWindowAtMost() {
        StoreRateLimiter limiter = limiter(options -> {});
        granted(limiter, KEYS);
        for (int times = 1; times <= 3; times++) {
            back(limiter);
            time.advance(20_000 * MICRO);
            network.answersLost = true;
            time.advance(SECOND);
            long most = (long) times * Backlog.WINDOW;
            assertTrue(limiter.status().uncountedPermits() <= most, limiter.status()::toString);
            network.answersLost = false;
            network.cut = true;
            time.advance(SECOND);
            network.cut = false;
        }
        long doubt = limiter.status().uncountedPermits();
        time.advance(SECOND.multipliedBy(2));
        assertEquals(doubt, limiter.status().uncountedPermits());
        assertTrue(store.charged >= KEYS - doubt && store.charged <= KEYS, () -> "charged " + store.charged);
        assertEquals(3L * Backlog.WINDOW, doubt);
    }

    @Test
    void D7_whatWasCertainlyNotSentIsKept() {
        StoreRateLimiter limiter = limiter(options -> {});
        granted(limiter, KEYS);
        for (int times = 0; times < 10; times++) {
            back(limiter);
            network.disconnected = true;
            for (int key = 0; key < 10; key++) {
                assertInstanceOf(Permit.class, ask(limiter, key).getNow(null));
            }
            time.advance(SECOND);
            network.disconnected = false;
        }
        time.advance(SECOND.multipliedBy(2));
        assertEquals(KEYS + 100, store.charged);
        assertEquals(0, limiter.status().uncountedPermits());
    }

    @Test
    void D7_aLimiterThatIsClosedTellsAllTheSame() {
        StoreRateLimiter limiter = limiter(options -> {});
        granted(limiter, KEYS);
        back(limiter);
        limiter.close();
        time.advance(SECOND);
        assertEquals(KEYS, store.charged);
    }

    @Test
    void D7_chargesWithoutAnswerDoNotTakeTheStoreAway() {
        StoreRateLimiter limiter = limiter(options -> {});
        granted(limiter, 1_000);
        back(limiter);
        network.answersLost = true;
        time.advance(SECOND);
        assertTrue(limiter.status().timeouts() > 100);
        assertTrue(limiter.status().up());
    }

    @Test
    void D7_whatWasRefilledMeanwhileMakesRoomForOthers() {
        StoreRateLimiter limiter = StoreRateLimiter.builder(
                        "api", TokenBucket.of(10, SECOND), spec -> store.over(network), WhenAway.local(2))
                .local((spec, place) -> TokenBucket.of(10_000_000, SECOND))
                .maxKeys(10)
                .ticker(time)
                .executor(Runnable::run)
                .build();
        granted(limiter, 40);
        time.advance(SECOND.multipliedBy(2));
        for (int key = 1_000; key < 1_040; key++) {
            assertInstanceOf(Permit.class, ask(limiter, key).join());
        }
        assertEquals(0, limiter.status().uncountedPermits());
        assertInstanceOf(Permit.class, ask(limiter, 2_000).join());
        assertEquals(1, limiter.status().uncountedPermits());
    }
}
