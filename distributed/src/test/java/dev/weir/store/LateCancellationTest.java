package dev.weir.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A permit that is cancelled long after its grant must not give back what others were granted meanwhile. */
class LateCancellationTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int BURST = 10;

    private final VirtualTime time = new VirtualTime();
    private final ModelStore store = new ModelStore(time, 1, SECOND.toNanos(), BURST);
    private final TestNetwork network = new TestNetwork(time);

    private StoreRateLimiter limiter(Mode mode, StoreLimit limit) {
        return StoreRateLimiter.builder(
                        "api", TokenBucket.of(1, SECOND).withCapacity(BURST), spec -> limit, WhenAway.closed())
                .mode(mode)
                .ticker(time)
                .executor(Runnable::run)
                .build();
    }

    private List<Permit> takeAll(StoreRateLimiter limiter) {
        return takeAll(limiter, Request.ONE.refundable());
    }

    private List<Permit> takeAll(StoreRateLimiter limiter, Request request) {
        List<Permit> permits = new ArrayList<>();
        for (int i = 0; i < 2 * BURST; i++) {
            CompletableFuture<Decision> future = limiter.acquireAsync(request, Duration.ZERO);
            time.advance(2 * (network.there + network.back));
            if (future.join() instanceof Permit permit) {
                permits.add(permit);
            }
        }
        return permits;
    }

    static List<Mode> modes() {
        return List.of(Mode.exact(), Mode.verdict(), Mode.batched(2));
    }

    @ParameterizedTest
    @MethodSource("modes")
    void whatHasRefilledIsNotRefunded(Mode mode) {
        StoreRateLimiter limiter = limiter(mode, store.over(network));
        List<Permit> old = takeAll(limiter);
        assertEquals(BURST, old.size());
        time.advance(SECOND.multipliedBy(BURST));
        List<Permit> used = takeAll(limiter);
        assertEquals(BURST, used.size());
        old.forEach(permit -> assertTrue(permit.release(Outcome.CANCELLED)));
        assertEquals(List.of(), takeAll(limiter));
    }

    @ParameterizedTest
    @MethodSource("modes")
    void whatHasNotRefilledIsRefunded(Mode mode) {
        StoreRateLimiter limiter = limiter(mode, store.over(network));
        List<Permit> granted = takeAll(limiter);
        granted.forEach(permit -> assertTrue(permit.release(Outcome.CANCELLED)));
        time.advance(Duration.ofMillis(1));
        assertTrue(store.refunded >= BURST);
    }

    @ParameterizedTest
    @MethodSource("modes")
    void R6_nothingIsRefundedUnlessTheRequestAskedForIt(Mode mode) {
        StoreRateLimiter limiter = limiter(mode, store.over(network));
        List<Permit> granted = takeAll(limiter, Request.ONE);
        assertEquals(BURST, granted.size());
        granted.forEach(permit -> assertTrue(permit.release(Outcome.CANCELLED)));
        time.advance(Duration.ofMillis(1));
        assertEquals(0, store.refunded);
    }

    @ParameterizedTest
    @MethodSource("modes")
    void D1_whatHasRefilledIsNotRefundedWhenAnAnswerComesLate(Mode mode) {
        StoreRateLimiter limiter = limiter(mode, store.over(network));
        network.back = SECOND.multipliedBy(2 * BURST).toNanos();
        for (int i = 0; i < 4 * BURST; i++) {
            CompletableFuture<Decision> unused = limiter.acquireAsync(Request.ONE.refundable(), Duration.ZERO);
        }
        time.advance(Duration.ofMillis(1));
        network.heal();
        time.advance(SECOND.multipliedBy(2 * BURST).minus(SECOND));
        assertTrue(store.taken >= 1);
        long used = store.acquireUpTo(null, 2 * BURST).granted();
        time.advance(SECOND.multipliedBy(2));
        used += store.acquireUpTo(null, 2 * BURST).granted();
        assertTrue(used <= BURST + 2, "granted " + used);
        assertEquals(0, limiter.status().inDoubtPermits());
    }

    /** Counts in windows: nothing is free again before the end of the window, and all of it then. */
    private StoreLimit window() {
        StoreLimit bucket = store.over(network);
        return new StoreLimit() {
            private CompletionStage<Reply> inWindow(CompletionStage<Reply> stage) {
                return stage.thenApply(reply -> new Reply(
                        reply.granted(),
                        reply.remaining(),
                        reply.limit(),
                        5 * SECOND.toNanos(),
                        reply.retryAfterNanos()));
            }

            @Override
            public CompletionStage<Reply> acquire(@Nullable Object key, long permits) {
                return inWindow(bucket.acquire(key, permits));
            }

            @Override
            public CompletionStage<Reply> acquireUpTo(@Nullable Object key, long permits) {
                return inWindow(bucket.acquireUpTo(key, permits));
            }

            @Override
            public CompletionStage<Reply> charge(@Nullable Object key, long permits) {
                return inWindow(bucket.charge(key, permits));
            }

            @Override
            public CompletionStage<?> ping() {
                return bucket.ping();
            }
        };
    }

    @ParameterizedTest
    @MethodSource("modes")
    void aWindowRefundsUntilItEnds(Mode mode) {
        StoreRateLimiter limiter = limiter(mode, window());
        Permit[] permits = new Permit[2];
        for (int i = 0; i < permits.length; i++) {
            CompletableFuture<Decision> future = limiter.acquireAsync(Request.ONE.refundable(), Duration.ZERO);
            time.advance(Duration.ofMillis(1));
            permits[i] = assertInstanceOf(Permit.class, future.join());
        }
        time.advance(SECOND.multipliedBy(4));
        long before = store.refunded;
        assertTrue(permits[0].release(Outcome.CANCELLED));
        time.advance(SECOND.multipliedBy(2));
        assertEquals(before + 1, store.refunded);
        assertTrue(permits[1].release(Outcome.CANCELLED));
        time.advance(SECOND);
        assertEquals(before + 1, store.refunded);
    }
}
