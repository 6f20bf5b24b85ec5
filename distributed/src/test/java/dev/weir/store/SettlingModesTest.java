package dev.weir.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Costs that are known afterwards, where an instance decides by itself: 10,000 at once, and 1,000 more each second. */
class SettlingModesTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final TokenBucket THOUSAND = TokenBucket.of(1_000, SECOND).withCapacity(10_000);
    private static final int MAX_UNUSED = 160;

    private final VirtualTime time = new VirtualTime();
    private final ModelStore store = new ModelStore(time, 1_000, SECOND.toNanos(), 10_000);
    private final TestNetwork network = new TestNetwork(time);

    private StoreRateLimiter limiter(Mode mode) {
        store.byCost = true;
        store.refundsAll = true;
        return StoreRateLimiter.builder("tokens", THOUSAND, spec -> store.over(network), WhenAway.closed())
                .mode(mode)
                .ticker(time)
                .executor(Runnable::run)
                .build();
    }

    private StoreRateLimiter batched() {
        return limiter(Mode.batched(MAX_UNUSED));
    }

    private static Request estimated(long cost) {
        return Request.forKey("model").settled(cost);
    }

    private Decision ask(StoreRateLimiter limiter, Request request) {
        CompletableFuture<Decision> future = limiter.acquireAsync(request, Duration.ZERO);
        while (!future.isDone()) {
            time.advance(network.there);
        }
        return future.join();
    }

    private Permit granted(StoreRateLimiter limiter, long estimate) {
        return assertInstanceOf(Permit.class, ask(limiter, estimated(estimate)));
    }

    private void roundTrip() {
        time.advance(network.there + network.back);
    }

    /** Has the limiter take batches of 160, of which some is left. Returns how much of them is used. */
    private long warm(StoreRateLimiter limiter) {
        long used = 0;
        while (store.counted() - used < 40) {
            assertTrue(granted(limiter, 10).settle(10));
            used += 10;
            roundTrip();
        }
        return used;
    }

    @Test
    void whatIsMoreIsTakenFromTheBatchAndTheRestIsChargedWithTheNextCommand() {
        StoreRateLimiter limiter = batched();
        long used = warm(limiter);
        Permit permit = granted(limiter, 10);
        roundTrip();
        long left = store.counted() - used - 10;
        long sent = network.sent;
        assertTrue(permit.settle(10 + left + 33));
        assertEquals(sent, network.sent, "nothing is sent for it");
        assertEquals(0, store.charged);
        assertInstanceOf(Permit.class, ask(limiter, estimated(10)));
        assertEquals(33, store.charged, "the batch had " + left);
    }

    @Test
    void whatIsMoreIsChargedSoonAlsoIfNothingIsAskedFor() {
        StoreRateLimiter limiter = batched();
        assertTrue(granted(limiter, 10).settle(500));
        time.advance(Duration.ofMillis(101));
        assertEquals(490, store.charged);
        assertTrue(limiter.charge(estimated(100)));
        roundTrip();
        assertEquals(590, store.charged);
    }

    @Test
    void whatIsLessGoesIntoTheBatchAsFarAsThatHoldsIt() {
        StoreRateLimiter limiter = batched();
        long used = warm(limiter);
        Permit some = granted(limiter, 10);
        Permit much = granted(limiter, 500);
        roundTrip();
        long left = store.counted() - used - 510;
        assertTrue(left > 0 && left < MAX_UNUSED, () -> "left " + left);
        long refunded = store.refunded;
        long sent = network.sent;
        assertTrue(some.settle(5));
        assertEquals(sent, network.sent, "nothing is sent for it");
        assertTrue(much.settle(0));
        roundTrip();
        assertEquals(500, store.refunded - refunded, "a request larger than a batch was granted by the store");
        time.advance(SECOND.multipliedBy(2));
        assertEquals(used + 5, store.counted(), "what is unused returns when it expires");
    }

    @Test
    void aBatchThatIsUsedUpOrReplacedTakesNothingBack() {
        StoreRateLimiter limiter = batched();
        Permit permit = granted(limiter, 10);
        Permit late = granted(limiter, 10);
        roundTrip();
        assertTrue(permit.settle(4));
        roundTrip();
        assertEquals(6, store.refunded);
        limiter.reconfigure(THOUSAND.withCapacity(9_000));
        assertTrue(late.settle(3));
        roundTrip();
        assertEquals(13, store.refunded);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void allThatIsCountedIsWhatItHasCostHoweverItWasSettled(long seed) {
        for (Mode mode : List.of(Mode.exact(), Mode.verdict(), Mode.batched(MAX_UNUSED))) {
            Random random = new Random(seed);
            long before = store.counted();
            StoreRateLimiter limiter = limiter(mode);
            List<Permit> held = new ArrayList<>();
            long cost = 0;
            for (int step = 0; step < 300; step++) {
                if (ask(limiter, estimated(1 + random.nextInt(60))) instanceof Permit permit) {
                    held.add(permit);
                }
                if (!held.isEmpty() && random.nextInt(3) > 0) {
                    long actual = random.nextInt(3) == 0 ? 0 : random.nextInt(150);
                    cost += actual;
                    assertTrue(held.remove(random.nextInt(held.size())).settle(actual));
                }
                time.advance(random.nextInt(20_000_000));
            }
            for (Permit permit : held) {
                assertTrue(permit.settle(0));
            }
            time.advance(SECOND.multipliedBy(3));
            assertEquals(cost, store.counted() - before, mode.toString());
            limiter.close();
        }
    }

    @Test
    void inVerdictModeWhatIsOverrunIsCountedAfterwardsAndRefusesWhenTheLimitIsUsedUp() {
        StoreRateLimiter limiter = limiter(Mode.verdict());
        Permit first = granted(limiter, 100);
        Permit second = granted(limiter, 100);
        roundTrip();
        assertEquals(200, store.counted());
        assertTrue(second.settle(200));
        roundTrip();
        assertEquals(300, store.counted());
        assertTrue(first.settle(30_000));
        roundTrip();
        assertEquals(30_200, store.counted());
        assertInstanceOf(Rejection.class, ask(limiter, estimated(1)));
    }

    @Test
    void inVerdictModeWhatIsChargedEndsTheUseOfTheLastAnswer() {
        StoreRateLimiter limiter = limiter(Mode.verdict());
        granted(limiter, 100);
        assertTrue(limiter.charge(estimated(20_000)));
        assertInstanceOf(Rejection.class, ask(limiter, estimated(1)));
    }
}
