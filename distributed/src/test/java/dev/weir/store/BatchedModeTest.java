package dev.weir.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class BatchedModeTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int MAX_UNUSED = 16;

    private final VirtualTime time = new VirtualTime();
    private final ModelStore store = new ModelStore(time, 1000, SECOND.toNanos(), 1000);
    private final TestNetwork network = new TestNetwork(time);
    private final StoreRateLimiter limiter = limiter(100);

    private StoreRateLimiter limiter(long maxKeys) {
        return StoreRateLimiter.builder(
                        "api", TokenBucket.of(1000, SECOND), spec -> store.over(network), WhenAway.closed())
                .mode(Mode.batched(MAX_UNUSED))
                .maxKeys(maxKeys)
                .ticker(time)
                .executor(Runnable::run)
                .build();
    }

    private CompletableFuture<Decision> ask() {
        return limiter.acquireAsync(Request.ONE, Duration.ZERO);
    }

    private void roundTrip() {
        time.advance(network.there + network.back);
    }

    private long grant(int number) {
        long before = store.counted();
        long granted = 0;
        for (int i = 0; i < number; i++) {
            CompletableFuture<Decision> future = ask();
            while (!future.isDone()) {
                time.advance(network.there);
            }
            granted += future.join() instanceof Permit ? 1 : 0;
            assertTrue(store.counted() - before - granted <= MAX_UNUSED, "unused");
        }
        return granted;
    }

    @Test
    void batchesGrowWithTheDemandAndNeverBeyondTheBound() {
        assertEquals(200, grant(200));
        assertTrue(network.sent < 40, () -> network.sent + " commands");
    }

    @Test
    void theQuotaIsThatOfTheLastBatchAndOfWhatIsLeftHere() {
        assertNull(limiter.quota(Request.ONE), "the store has told nothing yet");
        grant(100);
        roundTrip();
        Quota told = limiter.quota(Request.ONE);
        assertEquals(1000, told.limit());
        assertTrue(told.remaining() >= 900 && told.remaining() <= 1000, told::toString);
        long sent = network.sent;
        assertEquals(told, limiter.quota(Request.ONE));
        assertEquals(sent, network.sent, "to ask for the quota sends nothing");
        time.advance(SECOND);
        assertNull(limiter.quota(Request.ONE), "the batch has expired");
    }

    @Test
    void aBatchLastsForAQuarterOfItsExpiryAndTheNextOneIsThereInTime() {
        for (int i = 0; i < 1_000; i++) {
            CompletableFuture<Decision> future = ask();
            assertTrue(future.isDone() || i < 50, () -> "waits: " + network.sent);
            time.advance(SECOND.dividedBy(40));
        }
        assertTrue(network.sent < 1_000 / 9, () -> network.sent + " commands");
        assertEquals(1_000, limiter.status().granted());
    }

    @Test
    void aSlowKeyTakesNothingInAdvance() {
        for (int i = 0; i < 5; i++) {
            assertEquals(1, grant(1));
            time.advance(SECOND.dividedBy(5));
        }
        assertEquals(5, store.taken);
    }

    @Test
    void unusedPermitsReturnWhenTheyExpire() {
        long granted = grant(100);
        assertTrue(store.counted() > granted);
        time.advance(SECOND.plusMillis(10));
        assertEquals(granted, store.counted());
    }

    @Test
    void aRequestIsServedFromABatchThatTakesLongerThanItsExpiry() {
        StoreRateLimiter brief = StoreRateLimiter.builder(
                        "api", TokenBucket.of(1000, SECOND), spec -> store.over(network), WhenAway.closed())
                .mode(new Mode.Batched(MAX_UNUSED, Duration.ofNanos(network.back)))
                .ticker(time)
                .executor(Runnable::run)
                .build();
        CompletableFuture<Decision> first = brief.acquireAsync(Request.ONE, Duration.ZERO);
        CompletableFuture<Decision> second = brief.acquireAsync(Request.of(3), Duration.ZERO);
        time.advance(SECOND);
        assertInstanceOf(Permit.class, first.join());
        assertInstanceOf(Permit.class, second.join());
        assertEquals(4, store.counted());
    }

    @Test
    void closeReturnsWhatIsUnused() {
        long granted = grant(100);
        roundTrip();
        limiter.close();
        roundTrip();
        assertEquals(granted, store.counted());
    }

    @Test
    void aChangeReturnsWhatIsUnused() {
        long granted = grant(100);
        roundTrip();
        limiter.reconfigure(TokenBucket.of(2000, SECOND));
        roundTrip();
        assertEquals(granted, store.counted());
        assertEquals(1, grant(1));
    }

    @Test
    void anEvictedBatchIsReturned() {
        StoreRateLimiter small = limiter(1);
        long granted = 0;
        for (int key = 0; key < 50; key++) {
            for (int i = 0; i < 20; i++) {
                CompletableFuture<Decision> future = small.acquireAsync(Request.forKey(key), Duration.ZERO);
                while (!future.isDone()) {
                    time.advance(network.there);
                }
                granted += future.join() instanceof Permit ? 1 : 0;
            }
        }
        small.close();
        roundTrip();
        assertEquals(1000, granted);
        assertEquals(granted, store.counted());
    }

    @Test
    void requestsWaitForOneCommandAndAreServedInOrder() {
        List<CompletableFuture<Decision>> futures = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            futures.add(ask());
        }
        assertEquals(1, network.sent);
        roundTrip();
        assertTrue(futures.get(0).isDone());
        assertFalse(futures.get(1).isDone());
        roundTrip();
        futures.forEach(future -> assertInstanceOf(Permit.class, future.join()));
        assertEquals(2, network.sent);
    }

    @Test
    void aRejectionIsUsedUntilItsRetryTime() {
        assertEquals(1000, store.acquire(null, 1000).granted());
        CompletableFuture<Decision> refused = ask();
        roundTrip();
        assertInstanceOf(Rejection.class, refused.join());
        assertEquals(Reason.RATE, ((Rejection) ask().join()).reason());
        assertEquals(1, network.sent);
        time.advance(Duration.ofMillis(1));
        assertEquals(1, grant(1));
    }

    @Test
    void aPermitThatAnotherInstanceReturnsIsGrantedLongBeforeTheRetryTime() {
        ModelStore daily = new ModelStore(time, 10, SECOND.multipliedBy(86_400).toNanos(), 10);
        StoreRateLimiter two = ofTen(daily);
        assertEquals(10, daily.acquire(null, 10).granted());
        CompletableFuture<Decision> refused = two.acquireAsync(Request.ONE, Duration.ZERO);
        roundTrip();
        assertInstanceOf(Rejection.class, refused.join());
        assertEquals(5, daily.charge(null, -5).remaining());
        Rejection here = assertInstanceOf(
                Rejection.class, two.acquireAsync(Request.ONE, Duration.ZERO).join());
        assertTrue(here.retryAfterNanos() > SECOND.multipliedBy(8_000).toNanos(), here::toString);
        time.advance(SECOND);
        CompletableFuture<Decision> granted = two.acquireAsync(Request.ONE, Duration.ZERO);
        roundTrip();
        assertInstanceOf(Permit.class, granted.join());
    }

    @Test
    void aLargeRequestIsDecidedByTheStore() {
        CompletableFuture<Decision> future = limiter.acquireAsync(Request.of(1001), Duration.ZERO);
        roundTrip();
        assertEquals(Reason.NEVER, ((Rejection) future.join()).reason());
        CompletableFuture<Decision> most = limiter.acquireAsync(Request.of(1000), Duration.ZERO);
        roundTrip();
        assertInstanceOf(Permit.class, most.join());
    }

    private Rejection refused(StoreRateLimiter asked, long permits) {
        CompletableFuture<Decision> future = asked.acquireAsync(Request.of(permits), Duration.ZERO);
        for (int i = 0; i < 100 && !future.isDone(); i++) {
            time.advance(network.there);
        }
        return assertInstanceOf(Rejection.class, future.join());
    }

    private StoreRateLimiter ofTen(ModelStore ten) {
        return StoreRateLimiter.builder("ten", TokenBucket.of(10, SECOND), spec -> ten.over(network), WhenAway.closed())
                .mode(Mode.batched(100))
                .ticker(time)
                .executor(Runnable::run)
                .build();
    }

    @Test
    void aRequestThatTheLimitCanNeverGrantIsToldSo() {
        StoreRateLimiter ten = ofTen(new ModelStore(time, 10, SECOND.toNanos(), 10));
        assertEquals(Reason.NEVER, refused(ten, 50).reason());
        assertEquals(Reason.NEVER, refused(ten, 11).reason());
    }

    @Test
    void aRequestForSeveralPermitsIsGrantedAfterItsRetryTime() {
        StoreRateLimiter ten = ofTen(new ModelStore(time, 10, SECOND.toNanos(), 10));
        CompletableFuture<Decision> all = ten.acquireAsync(Request.of(10), Duration.ZERO);
        roundTrip();
        assertInstanceOf(Permit.class, all.join());
        for (int i = 0; i < 2; i++) {
            Rejection refused = refused(ten, 5);
            assertEquals(Reason.RATE, refused.reason());
            assertTrue(refused.retryAfterNanos() > 490_000_000, refused::toString);
        }
        time.advance(refused(ten, 5).retryAfterNanos());
        CompletableFuture<Decision> again = ten.acquireAsync(Request.of(5), Duration.ZERO);
        roundTrip();
        assertInstanceOf(Permit.class, again.join());
    }

    @Test
    void aLimitThatPunishesExcessIsNotBatched() {
        TestNetwork.Punishing punishing = new TestNetwork.Punishing(store.over(network));
        TokenBucket spec = TokenBucket.of(1, SECOND);
        StoreRateLimiterBuilder options = StoreRateLimiter.builder("ban", spec, any -> punishing, WhenAway.closed())
                .mode(Mode.batched(2))
                .ticker(time);
        assertThrows(IllegalArgumentException.class, options::build);
        StoreRateLimiter first = StoreRateLimiter.builder(
                        "ban", spec, rate -> rate == spec ? store.over(network) : punishing, WhenAway.closed())
                .mode(Mode.batched(2))
                .ticker(time)
                .build();
        assertThrows(IllegalArgumentException.class, () -> first.reconfigure(TokenBucket.of(2, SECOND)));
        assertEquals(spec, first.spec());
    }

    @Test
    void batchedPermitsAreUsedWhileTheStoreIsAway() {
        long granted = grant(100);
        long unused = store.counted() - granted;
        network.cut = true;
        long more = 0;
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Decision> future = ask();
            more += future.isDone() && future.join() instanceof Permit ? 1 : 0;
        }
        assertEquals(unused, more);
    }
}
