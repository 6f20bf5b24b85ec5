package dev.weir.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.TokenBucket;
import dev.weir.share.Instances;
import dev.weir.share.Instances.Place;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WhenAwayTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final ModelStore store = new ModelStore(time, 100, SECOND.toNanos(), 100);
    private final TestNetwork network = new TestNetwork(time);
    private volatile Instances instances = () -> new Place(0, 4);
    private final StoreRateLimiter limiter = builder().build();

    private StoreRateLimiterBuilder builder() {
        return StoreRateLimiter.builder(
                        "api",
                        TokenBucket.of(100, SECOND),
                        spec -> store.over(network),
                        WhenAway.local(() -> instances.place()))
                .local(WhenAwayTest::part)
                .failuresUntilAway(1)
                .ticker(time)
                .executor(Runnable::run);
    }

    static @Nullable StrategySpec part(StrategySpec spec, Place place) {
        TokenBucket bucket = (TokenBucket) spec;
        long capacity = place.part(bucket.capacity());
        return capacity == 0
                ? null
                : TokenBucket.of(bucket.permits(), bucket.period().multipliedBy(place.count()))
                        .withCapacity(capacity);
    }

    private CompletableFuture<Decision> ask() {
        return limiter.acquireAsync(Request.ONE, Duration.ZERO);
    }

    private int grantedAtOnce(int most) {
        int granted = 0;
        for (int i = 0; i < most; i++) {
            CompletableFuture<Decision> future = ask();
            granted += future.isDone() && future.join() instanceof Permit ? 1 : 0;
        }
        return granted;
    }

    private void goAway() {
        network.failing = true;
        assertTrue(ask().isDone());
        assertFalse(limiter.status().up());
    }

    private void comeBack() {
        network.failing = false;
        time.advance(Duration.ofMillis(101));
        assertTrue(limiter.status().up());
    }

    @Test
    void D7_onlyThePartIsGrantedAndIsCountedByTheStoreAfterwards() {
        goAway();
        assertEquals(24, grantedAtOnce(50), "the first was granted already");
        comeBack();
        time.advance(Duration.ofMillis(1));
        assertTrue(store.charged >= 25 && store.charged <= 28, () -> "charged " + store.charged);
    }

    @Test
    void D7_whatWasGrantedLocallyIsNotForgottenSoonerThanASlowerLimitRefills() {
        goAway();
        assertEquals(24, grantedAtOnce(50));
        limiter.reconfigure(TokenBucket.of(100, Duration.ofHours(1)));
        time.advance(SECOND.multipliedBy(10));
        comeBack();
        time.advance(Duration.ofMillis(1));
        assertEquals(25, store.charged);
    }

    @Test
    void D7_whatTheStoreGrantedIsTakenFromThePart() {
        CompletableFuture<Decision> granted = limiter.acquireAsync(Request.of(20), Duration.ZERO);
        time.advance(Duration.ofMillis(1));
        assertInstanceOf(Permit.class, granted.join());
        goAway();
        assertEquals(4, grantedAtOnce(50));
    }

    @Test
    void D7_whatTheStoreGrantedBeforeThereWasAPartIsTakenFromIt() {
        for (Instances none : List.<Instances>of(() -> new Place(100, 101), WhenAwayTest::unknown)) {
            instances = none;
            StoreRateLimiter without = builder().build();
            CompletableFuture<Decision> granted = without.acquireAsync(Request.of(20), Duration.ZERO);
            time.advance(Duration.ofMillis(1));
            assertInstanceOf(Permit.class, granted.join());
            instances = () -> new Place(0, 4);
            network.failing = true;
            int more = 0;
            for (int i = 0; i < 50; i++) {
                more += without.acquireAsync(Request.ONE, Duration.ZERO).join() instanceof Permit ? 1 : 0;
            }
            assertTrue(more <= 5, () -> "granted after a place that was " + none);
            network.failing = false;
        }
    }

    private static Place unknown() {
        throw new IllegalStateException("not known yet");
    }

    @Test
    void D7_morePermitsThanThePartEmptyIt() {
        CompletableFuture<Decision> granted = limiter.acquireAsync(Request.of(90), Duration.ZERO);
        time.advance(Duration.ofMillis(1));
        assertInstanceOf(Permit.class, granted.join());
        goAway();
        assertEquals(0, grantedAtOnce(50));
    }

    @Test
    void D7_anOutageOfAnyLengthIsCountedAsTheTimeThatTheLimitNeedsToBeUnused() {
        goAway();
        long granted = 1;
        for (int second = 0; second < 60; second++) {
            granted += grantedAtOnce(50);
            time.advance(SECOND);
        }
        assertTrue(granted > 1_400, "25 a second for a minute: " + granted);
        comeBack();
        time.advance(Duration.ofMillis(1));
        assertTrue(store.charged <= 53, () -> "charged " + store.charged);
    }

    @Test
    void D7_anotherLimitHasAnotherPartWhichKeepsWhatWasUsed() {
        goAway();
        assertEquals(24, grantedAtOnce(50));
        limiter.reconfigure(TokenBucket.of(200, SECOND));
        assertEquals(25, grantedAtOnce(50));
    }

    @Test
    void anAlarmThatThrowsIsReplacedByThatOfTheSystem() {
        StoreRateLimiter alarmed = builder()
                .alarm((nanos, action) -> {
                    throw new AssertionError("thrown by the alarm");
                })
                .timeout(Duration.ofMillis(1))
                .ticker(Ticker.system())
                .build();
        network.cut = true;
        assertInstanceOf(
                Permit.class,
                alarmed.acquireAsync(Request.ONE, Duration.ZERO)
                        .orTimeout(2, TimeUnit.MINUTES)
                        .join());
        alarmed.close();
    }

    @Test
    void aClosedLimiterSetsNoMoreAlarms() {
        goAway();
        assertEquals(24, grantedAtOnce(50));
        limiter.close();
        time.advance(SECOND);
        assertEquals(0, time.pendingAlarms());
    }

    @Test
    void thePartFollowsThePlaceAndKeepsWhatWasUsed() {
        goAway();
        assertEquals(24, grantedAtOnce(50));
        instances = () -> new Place(0, 2);
        assertEquals(25, grantedAtOnce(100));
        instances = () -> new Place(0, 4);
        assertEquals(0, grantedAtOnce(50));
    }

    @Test
    void noPartRefusesEverything() {
        instances = () -> new Place(150, 200);
        goAway();
        assertEquals(0, grantedAtOnce(50));
    }

    @Test
    void instancesThatThrowLeaveTheLastPlace() {
        goAway();
        instances = () -> {
            throw new AssertionError("thrown by the registry");
        };
        assertEquals(24, grantedAtOnce(50));
        assertTrue(limiter.status().failures() > 0);
    }

    private static final class Throwing implements Strategy {
        @Override
        public long acquire(Request request) {
            throw new AssertionError("thrown by the strategy");
        }

        @Override
        public long limit() {
            return 1;
        }

        @Override
        public void setLimit(long limit) {}
    }

    @Test
    void aPartThatThrowsRefuses() {
        StoreRateLimiter throwing =
                builder().local((spec, place) -> ticker -> new Throwing()).build();
        network.failing = true;
        Decision decision = throwing.acquireAsync(Request.ONE, Duration.ZERO).join();
        assertInstanceOf(Rejection.class, decision);
    }

    @Test
    void anExecutorThatThrowsLosesNothing() {
        StoreRateLimiter rejecting = builder()
                .executor(task -> {
                    throw new RejectedExecutionException();
                })
                .build();
        CompletableFuture<Decision> future = rejecting.acquireAsync(Request.ONE, Duration.ZERO);
        time.advance(Duration.ofMillis(1));
        assertInstanceOf(Permit.class, future.join());
    }

    @Test
    void tooManyCommandsInFlightAreDecidedHere() {
        StoreRateLimiter small = builder().maxInFlight(2).build();
        CompletableFuture<Decision> first = small.acquireAsync(Request.ONE, Duration.ZERO);
        CompletableFuture<Decision> second = small.acquireAsync(Request.ONE, Duration.ZERO);
        CompletableFuture<Decision> third = small.acquireAsync(Request.ONE, Duration.ZERO);
        assertFalse(first.isDone() || second.isDone());
        assertTrue(third.isDone());
        time.advance(Duration.ofMillis(300));
        assertEquals(3, store.counted());
    }

    @Test
    void tooMuchTrafficIsDecidedHereUntilItIsLess() {
        StoreRateLimiter busy = builder().degradeAbove(10, SECOND).build();
        int local = 0;
        for (int i = 0; i < 15; i++) {
            local += busy.acquireAsync(Request.ONE, Duration.ZERO).isDone() ? 1 : 0;
        }
        assertEquals(5, local);
        assertTrue(busy.status().degraded());
        time.advance(SECOND);
        assertTrue(busy.acquireAsync(Request.ONE, Duration.ZERO).isDone());
        assertEquals(16, store.counted() + 1, "what was granted here is counted meanwhile");
        time.advance(SECOND);
        assertFalse(busy.acquireAsync(Request.ONE, Duration.ZERO).isDone());
        assertFalse(busy.status().degraded());
    }

    @Test
    void optionsThatDoNotFitAreRefused() {
        StoreRateLimiterBuilder noPart =
                StoreRateLimiter.builder("api", TokenBucket.of(100, SECOND), spec -> store.direct(), WhenAway.local(2));
        assertThrows(IllegalArgumentException.class, noPart::build);
        StoreRateLimiterBuilder closed = StoreRateLimiter.builder(
                        "api", TokenBucket.of(100, SECOND), spec -> store.direct(), WhenAway.closed())
                .degradeAbove(1, SECOND);
        assertThrows(IllegalArgumentException.class, closed::build);
        assertThrows(IllegalArgumentException.class, () -> builder().maxInFlight(0));
        assertThrows(IllegalArgumentException.class, () -> builder().timeout(Duration.ZERO));
    }

    @Test
    void D7_whatNobodyCanDecideIsRefusedAsUnavailable() {
        instances = () -> new Place(100, 101);
        StoreRateLimiterBuilder closed = StoreRateLimiter.builder(
                        "api", TokenBucket.of(100, SECOND), spec -> store.over(network), WhenAway.closed())
                .failuresUntilAway(1)
                .ticker(time)
                .executor(Runnable::run);
        network.failing = true;
        for (StoreRateLimiter without : List.of(closed.build(), builder().build())) {
            for (int i = 0; i < 2; i++) {
                CompletableFuture<Decision> future = without.acquireAsync(Request.ONE, SECOND);
                time.advance(SECOND);
                assertEquals(new Rejection("api", Rejection.Reason.UNAVAILABLE, 0, 0), future.join());
            }
        }
    }
}
