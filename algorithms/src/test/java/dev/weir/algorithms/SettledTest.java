package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket.Refill;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.spi.Account;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.SettledRate;
import dev.weir.testkit.StrategyContract;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SettledTest extends StrategyContract {
    private static final Duration TEN = Duration.ofNanos(10);

    @Override
    protected StrategySpec spec(long limit) {
        return Settled.of(TokenBucket.of(limit, Duration.ofSeconds(1)));
    }

    @Override
    protected long maxWithin(long windowNanos, long limit) {
        return limit + windowNanos * limit / 1_000_000_000L;
    }

    private static SettledRate settled(Traffic traffic) {
        return (SettledRate) traffic.strategy;
    }

    private static void charge(Traffic traffic, long permits) {
        assertTrue(settled(traffic).charge(Request.ONE.settled(permits)));
    }

    private static boolean takes(Traffic traffic, long cost) {
        return traffic.strategy.acquire(Request.ONE.settled(cost)) == 0;
    }

    /** 1 token in 10 ns, 5 kept. */
    @Test
    void aBucketBelowZeroByHand() {
        Traffic traffic = new Traffic(Settled.of(TokenBucket.of(1, TEN).withCapacity(5)));
        assertTrue(takes(traffic, 4));
        assertEquals(1, traffic.remaining());
        charge(traffic, 3); // at 0: 2 below zero
        assertEquals(0, traffic.remaining());
        assertEquals(7, traffic.used());
        assertEquals(30, traffic.waitFor(1));
        traffic.time.advance(29);
        assertEquals(1, traffic.waitFor(1));
        traffic.time.advance(1); // at 30: 1
        assertTrue(takes(traffic, 1));
        assertEquals(10, traffic.waitFor(1));
        traffic.time.advance(50); // at 80: full
        assertEquals(5, traffic.take(9));
        charge(traffic, 5); // at 80: 5 below zero
        traffic.strategy.refund(Request.ONE.settled(4), traffic.time.read()); // of a grant just now
        assertEquals(20, traffic.waitFor(1));
        assertEquals(-1, traffic.waitFor(6));
    }

    /** 5 in a window of 10 ns: what is charged counts in its window, and what is beyond refills steadily, one in 2 ns. */
    @Test
    void aWindowBelowZeroByHand() {
        Traffic traffic = new Traffic(Settled.of(FixedWindow.of(5, TEN)));
        charge(traffic, 2);
        assertEquals(3, traffic.take(9));
        charge(traffic, 5); // at 0: 5 below zero
        assertEquals(12, traffic.waitFor(1));
        traffic.time.advance(10); // at 10: 0, in a new window
        assertEquals(2, traffic.waitFor(1));
        traffic.time.advance(4);
        assertEquals(2, traffic.take(9));
        traffic.time.advance(10);
        assertEquals(5, traffic.take(9)); // at 24: the window since 20
    }

    @Test
    void moreThanTheBurstIsGrantedOnceWhenNothingIsUsed() {
        StrategySpec never = Settled.of(TokenBucket.of(1, TEN).withCapacity(5));
        Traffic traffic = new Traffic(never);
        assertEquals(-1, traffic.waitFor(6));
        traffic.change(Settled.of(TokenBucket.of(1, TEN).withCapacity(5)).once());
        assertTrue(takes(traffic, 2));
        assertEquals(20, traffic.waitFor(8));
        traffic.time.advance(20);
        assertTrue(takes(traffic, 8)); // 3 below zero
        assertEquals(40, traffic.waitFor(1));
        assertEquals(80, traffic.waitFor(6));
        traffic.time.advance(80);
        assertEquals(5, traffic.take(5));
    }

    /** A new limit or algorithm does not make a debt shorter than it is at the new rate, and the strategy stays the same. */
    @Test
    void aDebtRefusesAfterAChange() {
        Traffic traffic = new Traffic(Settled.of(TokenBucket.of(1, TEN).withCapacity(5)));
        SettledRate before = settled(traffic);
        charge(traffic, 9); // 4 below zero
        traffic.strategy.setLimit(2); // one in 5 ns
        assertEquals(25, traffic.waitFor(1));
        traffic.change(Settled.of(new SlidingLog(5, Duration.ofNanos(50))));
        assertSame(before, traffic.strategy);
        assertEquals(9, traffic.used());
        traffic.change(Settled.of(TokenBucket.of(1, TEN).withCapacity(2)));
        assertEquals(50, traffic.waitFor(1)); // 4 that were owed, and one
        charge(traffic, 1);
        assertEquals(60, traffic.waitFor(1));
    }

    @Test
    void whatIsSpentInPermitsIsOwedByCostAfterAChangeAndBack() {
        Traffic traffic = new Traffic(TokenBucket.of(1, TEN).withCapacity(5));
        assertEquals(5, traffic.take(5));
        traffic.change(Settled.of(TokenBucket.of(1, TEN).withCapacity(5)));
        assertEquals(10, traffic.waitFor(1));
        charge(traffic, 2);
        traffic.change(TokenBucket.of(1, TEN).withCapacity(5));
        assertEquals(7, traffic.used());
        assertEquals(10, traffic.waitFor(1));
    }

    /** What is spent in permits is no debt of a rate of the cost, if there is another that was. */
    @Test
    void eachOfTwoUnitsIsCarriedAlone() {
        StrategySpec tokens = Settled.of(TokenBucket.of(100, Duration.ofNanos(100)));
        Traffic traffic = new Traffic(AllOf.of(tokens, TokenBucket.of(5, Duration.ofNanos(50))));
        assertTrue(takes(traffic, 80));
        traffic.change(AllOf.of(tokens, FixedWindow.of(5, Duration.ofNanos(50))));
        assertTrue(takes(traffic, 20));
        assertEquals(
                new Account(100, 100, 100, 100),
                traffic.strategy.members().get(0).account());
        assertEquals(2, traffic.strategy.members().get(1).account().used());
    }

    @Test
    void theRateWarmsUpInside() {
        Duration period = Duration.ofNanos(1_000);
        Traffic traffic = new Traffic(WarmUp.of(Settled.of(TokenBucket.of(100, period)), Duration.ofNanos(10_000)));
        charge(traffic, 50);
        assertFalse(traffic.ask(1));
        traffic.time.advance(20_000);
        assertEquals(100, traffic.take(200));
    }

    static List<StrategySpec> others() {
        TokenBucket bucket = TokenBucket.of(1_000, Duration.ofSeconds(1));
        return List.of(
                Pacer.of(5, TEN),
                WarmUp.of(Pacer.of(5, TEN), TEN),
                bucket.batched(),
                new Semaphore(5),
                new Open(),
                new Closed(),
                Settled.of(bucket),
                AllOf.of(bucket, bucket),
                Keyed.of(bucket, 10));
    }

    @ParameterizedTest
    @MethodSource("others")
    void onlyARateWithAnAccountCanBeSettled(StrategySpec other) {
        assertThrows(IllegalArgumentException.class, () -> Settled.of(other), other::toString);
    }

    static List<StrategySpec> rates() {
        return List.of(
                TokenBucket.of(5, TEN),
                new TokenBucket(5, TEN, 5, 5, Refill.INTERVAL),
                new LeakyBucket(5, TEN, 4),
                Gcra.of(5, TEN),
                FixedWindow.of(5, TEN),
                FixedWindow.aligned(5, TEN),
                new SlidingWindow(5, TEN, 5),
                new SlidingLog(5, TEN),
                new FirstHitQuota(5, TEN));
    }

    /** A debt of a million permits is paid in the time that the rate takes for it, and not before. */
    @ParameterizedTest
    @MethodSource("rates")
    void aDebtLastsAsLongAsTheRateTakesForIt(StrategySpec rate) {
        Traffic traffic = new Traffic(Settled.of(rate));
        charge(traffic, 1_000_005);
        traffic.time.advance(1_900_000);
        assertFalse(traffic.ask(1));
        traffic.time.advance(100_000 + 40);
        assertTrue(traffic.ask(1), () -> "debt " + traffic.used());
        traffic.time.advance(1_000);
        charge(traffic, Long.MAX_VALUE);
        charge(traffic, Long.MAX_VALUE);
        assertTrue(traffic.waitFor(1) > 1L << 61, () -> "wait " + traffic.waitFor(1));
        assertTrue(traffic.used() >= 1L << 61);
    }

    /** 3 taken while one refills in 1 ns; then one refills in 2 ns, and 4 are charged. Of the 3 only one had not refilled. */
    @Test
    void aGrantBeforeAnotherLimitIsNotRefundedByThatLimit() {
        Traffic traffic =
                new Traffic(Settled.of(TokenBucket.of(2, Duration.ofNanos(2)).withCapacity(3)));
        long at = traffic.time.read();
        assertTrue(takes(traffic, 3));
        traffic.time.advance(2);
        traffic.strategy.setLimit(1);
        charge(traffic, 4); // 2 were left
        settled(traffic).refundCost(Request.ONE.settled(3), at);
        assertTrue(traffic.waitFor(1) >= 4, () -> "4 charged of 3, used " + traffic.used());
    }

    /** A window that began before the change has not the grant of the rate before it. */
    @Test
    void aGrantOfAnotherRateDoesNotGoBackToAWindow() {
        Traffic traffic = new Traffic(Settled.of(TokenBucket.of(10, TEN)), 0);
        assertTrue(takes(traffic, 4));
        traffic.time.advance(1);
        traffic.change(Settled.of(FixedWindow.aligned(10, TEN, () -> Instant.ofEpochSecond(0, 5))));
        traffic.time.advance(4);
        assertTrue(takes(traffic, 10));
        settled(traffic).refundCost(Request.ONE.settled(4), 0);
        assertFalse(traffic.ask(1));
    }

    @Test
    void aLimitThatWasSetEndsWithThePart() {
        StrategySpec five = Settled.of(FixedWindow.of(5, TEN));
        Traffic traffic = new Traffic(five);
        traffic.strategy.setLimit(9);
        traffic.change(five);
        assertEquals(9, traffic.strategy.limit());
        traffic.change(Settled.of(FixedWindow.of(5, TEN)).once());
        assertEquals(5, traffic.strategy.limit());
        assertEquals(5, traffic.take(9));
    }

    /** 900 of the cost are no debt of 5 requests, though the key was evicted before the change. */
    @Test
    void anEvictedKeyOwesEachUnitAlone() {
        Duration second = Duration.ofSeconds(1);
        StrategySpec requests = TokenBucket.of(5, second);
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = Limiters.builder("keys", keyed(TokenBucket.of(1_000, second), requests))
                .ticker(time)
                .build();
        Request key = Request.forKey("k").settled(1);
        assertTrue(limiter.tryAcquire(key.settled(900)) instanceof Permit);
        assertTrue(limiter.tryAcquire(Request.forKey("other")) instanceof Permit);
        limiter.reconfigure(keyed(TokenBucket.of(2_000, second), requests));
        assertEquals(4, limiter.quota(key).remaining());
    }

    private static StrategySpec keyed(StrategySpec tokens, StrategySpec requests) {
        return Keyed.of(AllOf.of(Settled.of(tokens), requests), 1).withDebtCells(1 << 8);
    }
}
