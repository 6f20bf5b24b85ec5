package dev.weir.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.store.internal.Outgoing;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Many requests of one key at the same time. */
class JoinedRequestsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int MANY = 300;
    /** So many requests have commands of their own after a pause. */
    private static final int ALONE = Outgoing.COMMANDS + Outgoing.BESIDE;

    private final VirtualTime time = new VirtualTime();
    private final ModelStore store = new ModelStore(time, 100, SECOND.toNanos(), 100);
    private final TestNetwork network = new TestNetwork(time);
    private final List<Long> commands = new ArrayList<>();
    private final StoreRateLimiter limiter = StoreRateLimiter.builder(
                    "api", TokenBucket.of(100, SECOND), spec -> counting(store.over(network)), WhenAway.closed())
            .ticker(time)
            .executor(Runnable::run)
            .build();

    private StoreLimit counting(StoreLimit limit) {
        return new StoreLimit() {
            @Override
            public CompletionStage<Reply> acquire(@Nullable Object key, long permits) {
                commands.add(permits);
                return limit.acquire(key, permits);
            }

            @Override
            public CompletionStage<Reply> acquireUpTo(@Nullable Object key, long permits) {
                commands.add(permits);
                return limit.acquireUpTo(key, permits);
            }

            @Override
            public CompletionStage<Reply> charge(@Nullable Object key, long permits) {
                return limit.charge(key, permits);
            }

            @Override
            public long refilled(long nanos) {
                return limit.refilled(nanos);
            }

            @Override
            public CompletionStage<?> ping() {
                return limit.ping();
            }
        };
    }

    private List<CompletableFuture<Decision>> ask(int count, @Nullable Object key) {
        List<CompletableFuture<Decision>> all = new ArrayList<>();
        Request request = key == null ? Request.ONE : Request.forKey(key);
        for (int i = 0; i < count; i++) {
            all.add(limiter.acquireAsync(request, Duration.ZERO));
        }
        return all;
    }

    private static long granted(List<CompletableFuture<Decision>> all) {
        return all.stream()
                .filter(each -> !each.isCancelled() && each.join() instanceof Permit)
                .count();
    }

    @Test
    void requestsGoTogetherWhileManyCommandsAreOnTheirWay() {
        List<CompletableFuture<Decision>> all = ask(90, null);
        assertEquals(ALONE, commands.size());
        time.advance(Duration.ofMillis(10));
        assertEquals(90, granted(all));
        assertEquals(90, store.taken);
        assertEquals(ALONE + 1, commands.size());
        assertEquals(90 - ALONE, commands.get(ALONE));
    }

    @Test
    void requestsThatFillACommandDoNotWait() {
        ask(ALONE + JoinedRequests.TOGETHER, null);
        assertEquals(ALONE + 1, commands.size());
        assertEquals(JoinedRequests.TOGETHER, commands.get(ALONE));
    }

    @Test
    void aThousandRequestsASecondDoNotWaitWhereverTheStoreIs() {
        network.there = 5_000_000;
        network.back = 5_000_000;
        for (int i = 0; i < 100; i++) {
            ask(1, null);
            time.advance(Duration.ofMillis(1));
        }
        assertEquals(100, commands.size());
    }

    @Test
    void D1_theFirstAreGrantedAndTheOthersAreToldWhenToRetry() {
        List<CompletableFuture<Decision>> all = ask(MANY, "a");
        time.advance(Duration.ofMillis(20));
        assertEquals(100, granted(all));
        assertEquals(100, store.counted());
        for (int i = 0; i < MANY; i++) {
            Decision decision = all.get(i).join();
            assertEquals(i < 100, decision instanceof Permit, "request " + i);
            if (decision instanceof Rejection refused) {
                assertEquals(Reason.RATE, refused.reason());
                assertTrue(refused.retryAfterNanos() > 1_000_000, refused::toString);
            }
        }
    }

    @Test
    void eachPermitTellsWhatWasLeftAtItsTurn() {
        List<CompletableFuture<Decision>> all = ask(50, null);
        time.advance(Duration.ofMillis(10));
        for (int i = 0; i < 50; i++) {
            Permit permit = (Permit) all.get(i).join();
            Permit.Quota quota = permit.quota();
            assertTrue(quota != null && quota.remaining() == 99 - i, i + ": " + quota);
        }
    }

    @Test
    void requestsOfOtherKeysOrForMorePermitsGoAlone() {
        ask(ALONE, "a");
        ask(3, "b");
        CompletableFuture<Decision> more = limiter.acquireAsync(new Request(2, 0, "a", 1L << 40), Duration.ZERO);
        assertEquals(ALONE + 4, commands.size());
        time.advance(Duration.ofMillis(10));
        assertTrue(more.join() instanceof Permit);
    }

    @Test
    void D6_allAreDecidedAtTheTimeOutAndTheNextOnesAreAskedAgain() {
        network.cut = true;
        List<CompletableFuture<Decision>> all = ask(MANY, null);
        time.advance(Duration.ofMillis(101));
        assertEquals(0, granted(all));
        assertEquals(ALONE + 1, commands.size());
        network.cut = false;
        time.advance(Duration.ofSeconds(1));
        List<CompletableFuture<Decision>> later = ask(50, null);
        time.advance(Duration.ofMillis(10));
        assertEquals(50, granted(later));
    }

    @Test
    void D6_whatIsGrantedLateIsRefundedOrInDoubt() {
        store.refundsAll = true;
        network.back = 150_000_000;
        List<CompletableFuture<Decision>> all = ask(MANY, null);
        time.advance(Duration.ofMillis(101));
        assertEquals(0, granted(all));
        network.heal();
        time.advance(Duration.ofSeconds(2));
        assertEquals(limiter.status().inDoubtPermits(), store.counted());
    }

    @Test
    void S6_aRequestThatWasCancelledWhileItWaitedIsNotAsked() {
        List<CompletableFuture<Decision>> all = ask(60, null);
        for (int i = 40; i < 60; i++) {
            assertTrue(all.get(i).cancel(false));
        }
        time.advance(Duration.ofMillis(10));
        assertEquals(40, granted(all));
        assertEquals(40, store.taken);
        assertFalse(all.get(39).isCancelled());
    }
}
