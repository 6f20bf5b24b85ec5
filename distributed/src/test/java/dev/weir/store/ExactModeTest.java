package dev.weir.store;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class ExactModeTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - 100_000_000);
    private final ModelStore store = new ModelStore(time, 10, SECOND.toNanos(), 10);
    private final TestNetwork network = new TestNetwork(time);

    private StoreRateLimiter limiter(WhenAway away) {
        return StoreRateLimiter.builder("api", TokenBucket.of(10, SECOND), spec -> store.over(network), away)
                .ticker(time)
                .executor(Runnable::run)
                .build();
    }

    private Decision once(StoreRateLimiter limiter, long permits) {
        return once(limiter, Request.of(permits));
    }

    private Decision once(StoreRateLimiter limiter, Request request) {
        CompletableFuture<Decision> future = limiter.acquireAsync(request, Duration.ZERO);
        time.advance(network.there + network.back);
        return future.join();
    }

    private static Rejection rejection(Decision decision) {
        return assertInstanceOf(Rejection.class, decision);
    }

    @Test
    void theStoreDecides() {
        StoreRateLimiter limiter = limiter(WhenAway.closed());
        Permit permit = assertInstanceOf(Permit.class, once(limiter, 4));
        assertEquals(new Quota(10, 6, 400_000_000), permit.quota());
        Rejection refused = rejection(once(limiter, 7));
        assertEquals(Reason.RATE, refused.reason());
        assertEquals("api", refused.limiter());
        assertEquals(10, refused.limit());
        assertTrue(refused.retryAfterNanos() > 90_000_000 && refused.retryAfterNanos() <= 100_000_000);
        assertEquals(Reason.NEVER, rejection(once(limiter, 11)).reason());
    }

    @Test
    @SuppressWarnings("NullAway")
    void aWaitThatIsNullIsRefusedByItsName() {
        StoreRateLimiter limiter = limiter(WhenAway.closed());
        for (Executable call : List.<Executable>of(
                () -> limiter.acquire(Request.ONE, null), () -> limiter.acquireAsync(Request.ONE, null))) {
            assertEquals(
                    "maxWait", assertThrows(NullPointerException.class, call).getMessage());
        }
    }

    @Test
    void aRequestWaitsForItsRetryTime() {
        StoreRateLimiter limiter = limiter(WhenAway.closed());
        assertNotNull(once(limiter, 10));
        CompletableFuture<Decision> future = limiter.acquireAsync(Request.ONE, Duration.ofMillis(200));
        time.advance(Duration.ofMillis(99));
        assertFalse(future.isDone());
        time.advance(Duration.ofMillis(10));
        assertInstanceOf(Permit.class, future.join());
    }

    @Test
    void aRequestThatWouldBeGrantedTooLateTimesOutAtOnce() {
        StoreRateLimiter limiter = limiter(WhenAway.closed());
        assertNotNull(once(limiter, 10));
        CompletableFuture<Decision> future = limiter.acquireAsync(Request.ONE, Duration.ofMillis(50));
        time.advance(Duration.ofMillis(1));
        Rejection refused = rejection(future.join());
        assertEquals(Reason.TIMED_OUT, refused.reason());
        assertTrue(refused.retryAfterNanos() > 90_000_000);
    }

    @Test
    void theDeadlineOfARequestBoundsItsWait() {
        StoreRateLimiter limiter = limiter(WhenAway.closed());
        assertNotNull(once(limiter, 10));
        CompletableFuture<Decision> future =
                limiter.acquireAsync(new Request(1, 0, null, 50_000_000), Duration.ofDays(100_000));
        time.advance(Duration.ofMillis(1));
        assertEquals(Reason.TIMED_OUT, rejection(future.join()).reason());
    }

    @Test
    void aCancelledPermitIsRefundedOnceIfItsRequestAskedForIt() {
        StoreRateLimiter limiter = limiter(WhenAway.closed());
        Permit permit =
                assertInstanceOf(Permit.class, once(limiter, Request.of(4).refundable()));
        assertTrue(permit.release(Outcome.CANCELLED));
        assertFalse(permit.release(Outcome.CANCELLED));
        time.advance(network.there + network.back);
        assertEquals(4, store.refunded);
        Permit used = assertInstanceOf(Permit.class, once(limiter, Request.of(4).refundable()));
        assertTrue(used.release(Outcome.SUCCESS));
        time.advance(network.there + network.back);
        assertEquals(4, store.refunded);
        Permit notAsked = assertInstanceOf(Permit.class, once(limiter, 2));
        assertTrue(notAsked.release(Outcome.CANCELLED));
        time.advance(network.there + network.back);
        assertEquals(4, store.refunded);
    }

    @Test
    void S6_aPermitForACancelledFutureIsRefunded() {
        StoreRateLimiter limiter = limiter(WhenAway.closed());
        CompletableFuture<Decision> future = limiter.acquireAsync(Request.of(3), Duration.ZERO);
        assertTrue(future.cancel(true));
        time.advance(Duration.ofMillis(10));
        assertEquals(3, store.taken);
        assertEquals(3, store.refunded);
    }

    @Test
    void D6_aCallerIsAnsweredAtTheTimeOut() {
        StoreRateLimiter limiter = limiter(WhenAway.open());
        network.cut = true;
        CompletableFuture<Decision> future = limiter.acquireAsync(Request.ONE, Duration.ZERO);
        time.advance(Duration.ofMillis(99));
        assertFalse(future.isDone());
        time.advance(Duration.ofMillis(2));
        assertInstanceOf(Permit.class, future.join());
        assertEquals(1, limiter.status().timeouts());
    }

    @Test
    void D6_aLateAnswerIsRefunded() {
        StoreRateLimiter limiter = limiter(WhenAway.closed());
        store.refundsAll = true;
        network.back = 150_000_000;
        CompletableFuture<Decision> future = limiter.acquireAsync(Request.of(2), Duration.ZERO);
        time.advance(Duration.ofMillis(101));
        assertEquals(Reason.UNAVAILABLE, rejection(future.join()).reason());
        time.advance(Duration.ofMillis(101));
        assertEquals(2, store.taken);
        assertEquals(2, store.refunded);
    }

    @Test
    void D6_afterSomeFailuresCallersAreAnsweredAtOnceAndOneProbeIsSentAtATime() {
        StoreRateLimiter limiter = limiter(WhenAway.closed());
        network.cut = true;
        for (int i = 0; i < 5; i++) {
            assertNotNull(limiter.acquireAsync(Request.ONE, Duration.ZERO));
        }
        time.advance(Duration.ofMillis(101));
        assertFalse(limiter.status().up());
        assertTrue(limiter.acquireAsync(Request.ONE, Duration.ZERO).isDone());
        long sent = network.sent;
        time.advance(Duration.ofSeconds(2));
        assertEquals(sent + 10, network.sent, "a probe, its time-out and the interval take 200 ms");
        network.cut = false;
        time.advance(Duration.ofMillis(300));
        assertTrue(limiter.status().up());
        assertInstanceOf(Permit.class, once(limiter, 1));
    }

    @Test
    void whatTheStoreThrowsIsAFailure() {
        StoreRateLimiter limiter = limiter(WhenAway.open());
        network.throwing = true;
        assertInstanceOf(Permit.class, once(limiter, 1));
        network.throwing = false;
        network.failing = true;
        assertInstanceOf(Permit.class, once(limiter, 1));
        assertEquals(2, limiter.status().failures());
    }

    @Test
    void anEqualSpecificationChangesNothingAndOneThatCannotBeCountedIsRefused() {
        StoreRateLimiter limiter = StoreRateLimiter.builder(
                        "api",
                        TokenBucket.of(10, SECOND),
                        spec -> {
                            if (!spec.equals(TokenBucket.of(10, SECOND))) {
                                throw new IllegalArgumentException("cannot count " + spec);
                            }
                            return store.over(network);
                        },
                        WhenAway.closed())
                .ticker(time)
                .executor(Runnable::run)
                .build();
        limiter.reconfigure(TokenBucket.of(10, SECOND));
        assertThrows(IllegalArgumentException.class, () -> limiter.reconfigure(TokenBucket.of(11, SECOND)));
        assertEquals(TokenBucket.of(10, SECOND), limiter.spec());
        assertInstanceOf(Permit.class, once(limiter, 1));
    }

    @Test
    void aClosedLimiterRefusesWaitingAndNewRequests() {
        StoreRateLimiter limiter = limiter(WhenAway.closed());
        assertNotNull(once(limiter, 10));
        CompletableFuture<Decision> waiting = limiter.acquireAsync(Request.ONE, Duration.ofSeconds(5));
        time.advance(Duration.ofMillis(10));
        limiter.close();
        assertEquals(Reason.CANCELLED, rejection(waiting.join()).reason());
        assertEquals(
                Reason.CANCELLED,
                rejection(limiter.acquireAsync(Request.ONE, Duration.ZERO).join())
                        .reason());
        assertThrows(IllegalStateException.class, () -> limiter.reconfigure(TokenBucket.of(11, SECOND)));
        time.advance(Duration.ofSeconds(1));
        assertEquals(0, time.pendingAlarms());
    }

    @Test
    void anInterruptedThreadHoldsNothing() throws Exception {
        StoreRateLimiter limiter = limiter(WhenAway.closed());
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> limiter.acquire(Request.ONE, Duration.ZERO));
        network.there = 0;
        network.back = 0;
        assertInstanceOf(Permit.class, limiter.acquire(Request.ONE, Duration.ZERO));
    }

    @Test
    void aThreadThatIsInterruptedWhileItWaitsHoldsNothing() throws Exception {
        StoreRateLimiter limiter = limiter(WhenAway.closed());
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                Decision unexpected = limiter.acquire(Request.of(3), SECOND);
                thrown.completeExceptionally(new AssertionError(unexpected));
            } catch (InterruptedException e) {
                thrown.complete(e);
            }
        });
        thread.start();
        await().until(() -> thread.getState() == Thread.State.WAITING);
        thread.interrupt();
        assertInstanceOf(InterruptedException.class, thrown.get(2, TimeUnit.MINUTES));
        time.advance(Duration.ofMillis(10));
        assertEquals(3, store.taken);
        assertEquals(3, store.refunded);
    }
}
