package dev.weir.verification.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is settled and charged counts once, at the limits by cost, whatever stands beside and around them. */
class SettleTest {
    private static final StrategySpec TOKENS = Settled.of(TokenBucket.of(100, Duration.ofSeconds(100)));
    private static final StrategySpec REQUESTS = TokenBucket.of(999, Duration.ofHours(1));

    private final VirtualTime time = new VirtualTime();

    private ManagedLimiter limiter(StrategySpec spec) {
        return Limiters.builder("model", spec).ticker(time).build();
    }

    private static Request costs(long estimate) {
        return Request.forKey("large").settled(estimate);
    }

    private static Permit granted(Decision decision) {
        return assertInstanceOf(Permit.class, decision);
    }

    private static long left(ManagedLimiter limiter) {
        return limiter.quota(costs(1)).remaining();
    }

    static List<StrategySpec> all() {
        return List.of(
                TOKENS,
                AllOf.of(TOKENS, REQUESTS),
                AllOf.of(TOKENS, new Semaphore(1_000), REQUESTS),
                Keyed.of(TOKENS, 9),
                Keyed.of(AllOf.of(TOKENS, REQUESTS), 9),
                Keyed.of(AllOf.of(new Semaphore(1_000), TOKENS), 9),
                AllOf.of(new Semaphore(1_000), Keyed.of(TOKENS, 9)),
                AllOf.of(new Semaphore(1_000), Keyed.of(AllOf.of(new Semaphore(1_000), TOKENS), 9)));
    }

    private static long tokens(ManagedLimiter limiter) {
        long taken = 0;
        for (long step = 64; step > 0; step /= 2) {
            while (limiter.tryAcquire(costs(step).refundable()) instanceof Permit permit) {
                permit.release(Outcome.IGNORED);
                taken += step;
            }
        }
        return taken;
    }

    @ParameterizedTest
    @MethodSource("all")
    void whatIsLessGoesBackAndWhatIsMoreIsCharged(StrategySpec spec) {
        for (boolean queued : new boolean[] {false, true}) {
            ManagedLimiter limiter = limiter(spec);
            AtomicInteger woken = new AtomicInteger();
            limiter.whenCapacity(woken::incrementAndGet);
            Permit permit = granted(queued ? limiter.attempt(costs(80)) : limiter.tryAcquire(costs(80)));
            assertEquals(20, left(limiter));
            assertTrue(permit.settle(10));
            assertEquals(1, woken.get());
            assertFalse(permit.settle(10));
            assertEquals(1, limiter.counts().settledAgain());
            assertTrue(permit.release(Outcome.CANCELLED));
            Permit second = granted(limiter.tryAcquire(costs(80)));
            assertTrue(second.settle(100)); // 10 below zero
            second.close();
            Rejection refused = assertInstanceOf(Rejection.class, limiter.tryAcquire(costs(1)));
            assertEquals(Reason.RATE, refused.reason());
            assertEquals(Duration.ofSeconds(11).toNanos(), refused.retryAfterNanos());
            time.advance(Duration.ofSeconds(10 + 50));
            assertEquals(50, tokens(limiter), () -> "of " + spec);
            time.advance(Duration.ofHours(1));
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void aChargeIsSpentWithoutAPermit(StrategySpec spec) {
        ManagedLimiter limiter = limiter(spec);
        assertTrue(limiter.charge(costs(70)));
        assertEquals(30, left(limiter));
        assertTrue(limiter.charge(Request.forKey("large").withPermits(40)));
        time.advance(Duration.ofSeconds(30));
        assertEquals(20, tokens(limiter));
        assertEquals(0, limiter.inFlight());
    }

    /** After 80 seconds 20 are missing. With 10 in place of 100 the bucket would be full then: 20 of 90 go back, rounded down. */
    @ParameterizedTest
    @MethodSource("all")
    void noMoreGoesBackThanTheBucketWouldHave(StrategySpec spec) {
        ManagedLimiter limiter = limiter(spec);
        Permit permit = granted(limiter.tryAcquire(costs(100)));
        time.advance(Duration.ofSeconds(80));
        assertEquals(80, tokens(limiter));
        assertTrue(permit.settle(10));
        assertEquals(19, tokens(limiter));
    }

    @ParameterizedTest
    @MethodSource("all")
    void aChangeOfEachKindKeepsWhatIsOwed(StrategySpec spec) {
        ManagedLimiter limiter = limiter(spec);
        Permit permit = granted(limiter.tryAcquire(costs(10)));
        limiter.reconfigure(AllOf.of(new Semaphore(1_000), spec));
        assertTrue(permit.settle(150));
        assertInstanceOf(Rejection.class, limiter.tryAcquire(costs(1)));
        limiter.reconfigure(spec);
        time.advance(Duration.ofSeconds(50));
        assertInstanceOf(Rejection.class, limiter.tryAcquire(costs(1)));
        time.advance(Duration.ofSeconds(20));
        assertEquals(20, tokens(limiter));
    }

    @Test
    void withoutACostOrALimitByCostNothingIsSettled() {
        ManagedLimiter tokens = limiter(TOKENS);
        Permit plain = granted(tokens.tryAcquire(Request.of(30)));
        assertFalse(plain.settle(5));
        assertEquals(70, left(tokens));
        ManagedLimiter others = limiter(AllOf.of(REQUESTS, new Semaphore(5)));
        Permit held = granted(others.tryAcquire(costs(1_000)));
        assertFalse(held.settle(5));
        assertFalse(others.charge(costs(5)));
        assertEquals(1, others.inFlight());
        assertTrue(held.release(Outcome.SUCCESS));
        assertEquals(0, others.counts().settledAgain());
        assertThrows(IllegalArgumentException.class, () -> held.settle(-1));
        assertThrows(
                IllegalArgumentException.class,
                () -> granted(tokens.tryAcquire(costs(1))).settle(-1));
    }

    @Test
    void afterTheReleaseNothingIsSettled() {
        ManagedLimiter limiter = limiter(TOKENS);
        limiter.observe(new LimiterObserver() {});
        Permit permit = granted(limiter.tryAcquire(costs(40)));
        assertTrue(permit.release(Outcome.SUCCESS));
        assertFalse(permit.settle(10));
        assertFalse(permit.release(Outcome.SUCCESS));
        assertEquals(60, left(limiter));
        assertEquals(1, limiter.counts().settledAgain());
        assertEquals(1, limiter.counts().doubleReleases());
    }

    @Test
    void aRefundableRequestIsRefundedByItsEstimate() {
        ManagedLimiter limiter = limiter(AllOf.of(TOKENS, REQUESTS));
        Permit permit = granted(limiter.tryAcquire(costs(40).refundable()));
        assertTrue(permit.release(Outcome.CANCELLED));
        assertEquals(100, tokens(limiter));
    }

    @Test
    void whatIsSettledAfterTheCloseIsIgnored() {
        ManagedLimiter limiter = limiter(TOKENS);
        Permit permit = granted(limiter.tryAcquire(costs(40)));
        limiter.close();
        assertTrue(permit.settle(400));
        assertFalse(limiter.charge(costs(1)));
    }

    /** A limit that was let through has taken nothing. */
    @Test
    void aDryRunSettlesNothing() {
        ManagedLimiter limiter = limiter(TOKENS);
        limiter.enforce(0);
        granted(limiter.tryAcquire(costs(100)));
        Permit passed = granted(limiter.tryAcquire(costs(100)));
        assertFalse(passed.settle(5));
        assertEquals(0, left(limiter));
    }

    /** Which limits a permit was granted by does not change with the limits by key. */
    @Test
    void aPermitIsSettledByTheLimitsThatGrantedIt() {
        ManagedLimiter limiter = limiter(Keyed.of(TOKENS, 9));
        Permit byCost = granted(limiter.tryAcquire(costs(40)));
        limiter.reconfigure(Keyed.of(REQUESTS, 9));
        Permit byPermits = granted(limiter.tryAcquire(costs(40)));
        assertTrue(byCost.settle(10));
        assertFalse(byCost.settle(10));
        assertEquals(1, limiter.counts().settledAgain());
        limiter.reconfigure(Keyed.of(TOKENS, 9));
        time.advance(Duration.ofHours(1));
        assertFalse(byPermits.settle(90));
        assertEquals(100, left(limiter));
        assertEquals(1, limiter.counts().settledAgain());
    }

    /** A limit that a control sets each second refunds as one that stays: of 40 that were too much nothing has overflown. */
    @Test
    void aLimitThatMovesStillRefunds() {
        ManagedLimiter limiter = limiter(TOKENS);
        Permit permit = granted(limiter.tryAcquire(costs(50)));
        granted(limiter.tryAcquire(costs(50)));
        for (int second = 0; second < 20; second++) {
            limiter.dial().setLimit(100 + second % 2);
            time.advance(Duration.ofSeconds(1));
        }
        assertTrue(permit.settle(10));
        assertEquals(60, left(limiter), 2);
    }

    /** What is larger than the burst asks a window a few times in a period, not at each instant at which a permit might refill. */
    @Test
    void moreThanTheBurstDoesNotPollAWindow() {
        ManagedLimiter limiter = limiter(
                Settled.of(FixedWindow.of(10_000, Duration.ofMinutes(1))).once());
        granted(limiter.tryAcquire(costs(1)));
        int asked = 0;
        while (limiter.tryAcquire(costs(20_000)) instanceof Rejection refused) {
            asked++;
            time.advance(refused.retryAfterNanos());
        }
        assertTrue(asked <= 65, "asked " + asked);
    }
}
