package dev.weir.store.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Requests over a store by compare-and-set that were decided without it, while their calls still waited to be sent. */
class DeadCallsTest {
    private static final long MILLI = 1_000_000;
    private static final String KEY = "weir:limit:l:k";

    private final VirtualTime time = new VirtualTime();
    private final SimulatedStore store = new SimulatedStore(time);
    private final SimulatedAccess access = new SimulatedAccess(store, time);
    private final StateLimit limit =
            StateLimit.of(access, "l", StateLimitTest.rate(10, 10), String::valueOf, time, time);
    private final StoreRateLimiter limiter = StoreRateLimiter.builder(
                    "l", TokenBucket.of(10, Duration.ofSeconds(1)), spec -> limit, WhenAway.closed())
            .failuresUntilAway(3)
            .ticker(time)
            .executor(Runnable::run)
            .build();

    private CompletableFuture<Decision> ask() {
        return limiter.acquireAsync(Request.forKey("k"), Duration.ZERO);
    }

    private static void assertUnavailable(CompletableFuture<Decision> decision) {
        assertTrue(decision.isDone());
        Rejection rejection = (Rejection) decision.join();
        assertEquals(Rejection.Reason.UNAVAILABLE, rejection.reason());
    }

    @Test
    void whatTimedOutBeforeItWasSentIsNeitherCountedNorRefundedNorInDoubt() {
        access.there = () -> 150 * MILLI;
        CompletableFuture<Decision> first = ask();
        CompletableFuture<Decision> second = ask();
        time.advance(100 * MILLI);
        assertUnavailable(first);
        assertUnavailable(second);
        time.advance(1_000 * MILLI);
        assertEquals(1, access.commands, "the first one read");
        assertEquals(0, store.made.size());
        assertEquals(0, limiter.status().inDoubtPermits());
        assertEquals(2, limiter.status().timeouts());
    }

    @Test
    void whatWasSentBeforeItTimedOutIsRefunded() {
        assertTrue(ask().join() instanceof Permit);
        access.back = () -> 150 * MILLI;
        CompletableFuture<Decision> late =
                limiter.acquireAsync(new Request(5, 0, "k", Request.NO_DEADLINE), Duration.ZERO);
        time.advance(100 * MILLI);
        assertUnavailable(late);
        assertEquals(5, limiter.status().inDoubtPermits());
        time.advance(1_000 * MILLI);
        assertEquals(3, store.made.size());
        assertEquals(0, limiter.status().inDoubtPermits());
    }

    /** The store answers each time that another instance was first. */
    @Test
    void requestsThatLoseTheirRacesAreNotInDoubtAndDoNotSayThatTheStoreIsAway() {
        access.there = () -> 5 * MILLI;
        access.back = () -> 5 * MILLI;
        List<CompletableFuture<Decision>> lost = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            if (i % 10 == 0) {
                lost.add(ask());
            }
            store.overwrite(KEY, new byte[0]);
            time.advance(10 * MILLI);
        }
        lost.subList(0, 49).forEach(DeadCallsTest::assertUnavailable);
        assertTrue(limiter.status().up());
        assertEquals(0, limiter.status().inDoubtPermits());
        assertEquals(0, limiter.status().timeouts());
        access.there = () -> 0;
        access.back = () -> 0;
        time.advance(1_000 * MILLI);
        assertTrue(ask().join() instanceof Permit);
    }
}
