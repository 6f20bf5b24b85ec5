package dev.weir.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class VerdictModeTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Request OF_A = Request.forKey("a");

    private final VirtualTime time = new VirtualTime();
    private final ModelStore store = new ModelStore(time, 10, SECOND.toNanos(), 10);
    private final TestNetwork network = new TestNetwork(time);
    private final StoreRateLimiter limiter = StoreRateLimiter.builder(
                    "api", TokenBucket.of(10, SECOND), spec -> store.over(network), WhenAway.closed())
            .mode(Mode.verdict())
            .ticker(time)
            .executor(Runnable::run)
            .build();

    private CompletableFuture<Decision> ask(Request request) {
        return limiter.acquireAsync(request, Duration.ZERO);
    }

    private void roundTrip() {
        time.advance(network.there + network.back);
    }

    @Test
    void theFirstRequestOfAKeyAsksAndTheNextAreAnsweredAtOnce() {
        CompletableFuture<Decision> first = ask(OF_A);
        assertFalse(first.isDone());
        roundTrip();
        assertInstanceOf(Permit.class, first.join());
        for (int i = 0; i < 5; i++) {
            CompletableFuture<Decision> next = ask(OF_A);
            assertInstanceOf(Permit.class, next.join());
        }
        assertEquals(2, network.sent, "one command is in flight for a key");
        roundTrip();
        roundTrip();
        assertEquals(3, network.sent, "the grants that came meanwhile are counted together");
        assertEquals(6, store.counted());
    }

    @Test
    void noMoreIsGrantedThanTheLastAnswerLeft() {
        assertFalse(ask(OF_A).isDone());
        roundTrip();
        int granted = 1;
        while (ask(OF_A).isDone()) {
            granted++;
        }
        assertEquals(10, granted);
    }

    @Test
    void aRefusedKeyIsRefusedHereUntilItsRetryTime() {
        CompletableFuture<Decision> all = ask(new Request(10, 0, "a", Request.NO_DEADLINE));
        CompletableFuture<Decision> refused = ask(OF_A);
        roundTrip();
        assertInstanceOf(Permit.class, all.join());
        assertInstanceOf(Rejection.class, refused.join());
        long sent = network.sent;
        time.advance(Duration.ofMillis(50));
        Rejection here = assertInstanceOf(Rejection.class, ask(OF_A).join());
        assertEquals(Reason.RATE, here.reason());
        assertTrue(here.retryAfterNanos() > 40_000_000 && here.retryAfterNanos() <= 50_000_000, here::toString);
        assertEquals(sent, network.sent);
        time.advance(Duration.ofMillis(50));
        CompletableFuture<Decision> later = ask(OF_A);
        roundTrip();
        assertInstanceOf(Permit.class, later.join());
    }

    @Test
    void aRequestThatIsTooLargeIsRefusedHereWhileTheAnswerIsFresh() {
        Request huge = new Request(11, 0, "a", Request.NO_DEADLINE);
        CompletableFuture<Decision> first = ask(huge);
        roundTrip();
        assertEquals(Reason.NEVER, ((Rejection) first.join()).reason());
        assertEquals(Reason.NEVER, ((Rejection) ask(huge).join()).reason());
        assertInstanceOf(Permit.class, ask(OF_A).join());
        time.advance(SECOND);
        assertFalse(ask(huge).isDone());
    }

    @Test
    void theQuotaIsThatOfTheLastAnswerLessWhatWasGrantedSince() {
        assertNull(limiter.quota(OF_A), "the store has told nothing of it yet");
        ask(OF_A);
        roundTrip();
        Quota told = limiter.quota(OF_A);
        assertEquals(List.of(10L, 9L), List.of(told.limit(), told.remaining()));
        for (int i = 0; i < 3; i++) {
            assertTrue(ask(OF_A).isDone());
        }
        long sent = network.sent;
        assertEquals(6, limiter.quota(OF_A).remaining());
        assertEquals(sent, network.sent, "to ask for the quota sends nothing");
        assertNull(limiter.quota(Request.forKey("b")));
        roundTrip();
        roundTrip();
        time.advance(SECOND);
        assertNull(limiter.quota(OF_A), "the last answer is old");
        limiter.close();
        assertNull(limiter.quota(OF_A));
    }

    @Test
    void anOldAnswerIsNotUsed() {
        assertFalse(ask(OF_A).isDone());
        roundTrip();
        assertTrue(ask(OF_A).isDone());
        roundTrip();
        time.advance(SECOND);
        assertFalse(ask(OF_A).isDone());
    }

    @Test
    void aWaitingRequestIsTriedAgainAtTheStore() {
        CompletableFuture<Decision> all = ask(new Request(10, 0, null, Request.NO_DEADLINE));
        roundTrip();
        assertInstanceOf(Permit.class, all.join());
        CompletableFuture<Decision> waiting = limiter.acquireAsync(Request.ONE, SECOND);
        time.advance(Duration.ofMillis(120));
        assertInstanceOf(Permit.class, waiting.join());
    }
}
