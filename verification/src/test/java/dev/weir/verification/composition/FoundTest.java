package dev.weir.verification.composition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Partitioned;
import dev.weir.algorithms.PriorityShedding;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.TokenBucket;
import dev.weir.algorithms.TokenBucket.Refill;
import dev.weir.algorithms.WarmUp;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.spi.RampCurve;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the contract of compositions found, each in its shortest history. */
class FoundTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();

    private ManagedLimiter limiter(StrategySpec spec) {
        return Limiters.builder("l", spec).ticker(time).build();
    }

    private static int take(ManagedLimiter limiter, Request request) {
        int taken = 0;
        while (taken < 1_000 && limiter.tryAcquire(request) instanceof Permit) {
            taken++;
        }
        return taken;
    }

    @Test
    void ofLimitsSideBySideOneHandsOverWhatIsInFlight() {
        ManagedLimiter limiter = limiter(AllOf.of(
                new Semaphore(1),
                new Partitioned(2, Map.of("k0", 100), 100),
                TokenBucket.of(6, SECOND),
                new Semaphore(5)));
        limiter.tryAcquire(Request.forKey("k0"));
        limiter.reconfigure(TokenBucket.of(6, SECOND));
        limiter.reconfigure(new Counter(9));
        assertEquals(1, limiter.inFlight());
    }

    @Test
    void aCounterThatWasSetAsideCountsWhatLimitsByKeyGrantedMeanwhile() {
        ManagedLimiter limiter = limiter(new Semaphore(3));
        limiter.tryAcquire(Request.forKey("a"));
        limiter.reconfigure(Keyed.of(new Semaphore(3), 100));
        assertEquals(3, take(limiter, Request.forKey("b")));
        limiter.reconfigure(TokenBucket.of(6, SECOND));
        limiter.reconfigure(new Semaphore(3));
        assertInstanceOf(Rejection.class, limiter.tryAcquire(Request.ONE));
    }

    @Test
    void aLoweredGcraDelaysNobodyLongerThanADrainedOneAndForgetsNothing() {
        ManagedLimiter limiter = limiter(Gcra.of(10, SECOND));
        assertEquals(10, take(limiter, Request.ONE));
        limiter.dial().setLimit(1);
        Rejection refused = assertInstanceOf(Rejection.class, limiter.tryAcquire(Request.ONE));
        assertTrue(refused.retryAfterNanos() <= 1_000_000_000, refused::toString);
        limiter.dial().setLimit(10);
        assertEquals(0, take(limiter, Request.ONE));
    }

    @Test
    void aBatchThatArrivedUnderALargerLimitStaysUsed() {
        Duration period = Duration.ofNanos(5_040);
        ManagedLimiter limiter = limiter(new TokenBucket(3, period, 7, 7, Refill.INTERVAL));
        time.advance(5_039);
        assertEquals(7, take(limiter, Request.ONE));
        time.advance(1);
        limiter.dial().setLimit(2);
        limiter.reconfigure(SlidingLog.of(10, Duration.ofNanos(25_200)));
        int taken = take(limiter, Request.ONE);
        assertTrue(taken <= 3, () -> taken + " beside 7 that have not refilled");
    }

    @Test
    void aWaitThatWasToldIsNoIdlenessOfAWarmUpBesideIt() {
        Duration idle = Duration.ofMillis(200);
        ManagedLimiter limiter = limiter(AllOf.of(
                new WarmUp(new Semaphore(3), SECOND, 50, RampCurve.EXPONENTIAL, idle),
                new WarmUp(
                        TokenBucket.of(1, Duration.ofMillis(252)).withCapacity(3),
                        SECOND,
                        10,
                        RampCurve.LINEAR,
                        idle)));
        for (int asked = 0; asked < 50; asked++) {
            if (!(limiter.tryAcquire(Request.of(3)) instanceof Rejection refused)) {
                return;
            }
            time.advance(refused.retryAfterNanos());
        }
        throw new AssertionError("not granted after 50 waits that were told");
    }

    @Test
    void partsOfALimitByKeyThatChangePlacesKeepWhatTheyGranted() {
        StrategySpec slow = TokenBucket.of(2, Duration.ofHours(1)).withCapacity(7);
        StrategySpec fast = new LeakyBucket(2, SECOND, 7);
        Request request = Request.forKey("k");
        ManagedLimiter limiter = limiter(Keyed.of(AllOf.of(slow, fast), 100));
        assertEquals(7, take(limiter, request));
        time.advance(SECOND.multipliedBy(10));
        limiter.reconfigure(Keyed.of(AllOf.of(fast, slow), 100));
        assertEquals(0, take(limiter, request));
    }

    @Test
    void ofEqualPartsOfALimitByKeyOnlyTheFirstIsSet() {
        StrategySpec one = new Gcra(1, Duration.ofNanos(25_200), Duration.ofNanos(17_535));
        StrategySpec batch = new TokenBucket(1, Duration.ofNanos(25_200), 2, 2, Refill.INTERVAL);
        Request request = Request.forKey("k");
        ManagedLimiter limiter = limiter(Keyed.of(AllOf.of(one, batch, one), 100));
        limiter.tryAcquire(request);
        time.advance(25_199);
        limiter.tryAcquire(request);
        limiter.dial().setLimit(9);
        time.advance(25_201);
        assertEquals(1, take(limiter, request));
    }

    /** By the new limit it refills in 229.09 ns; 230 of them are a little more than one permit, and not two, however often. */
    @Test
    void whatAnEvictedKeyUsedIsNoLargerBucketOnceItsTimeIsRoundedUp() {
        ManagedLimiter limiter = limiter(Keyed.of(TokenBucket.of(1, Duration.ofNanos(2_520)), 2));
        List<Request> keys =
                Stream.of("a", "b", "c").map(key -> Request.forKey(key)).toList();
        keys.forEach(key -> assertEquals(1, take(limiter, key)));
        limiter.dial().setLimit(11);
        for (long nanos : List.of(1L, 228L)) {
            time.advance(nanos);
            keys.forEach(key -> assertEquals(0, take(limiter, key), key::toString));
        }
        time.advance(1);
        keys.forEach(key -> assertEquals(1, take(limiter, key), key::toString));
    }

    @Test
    void whatAnEvictedKeyUsedAfterTheClockRanBackIsNotOlderThanWhatItUsedBefore() {
        ManagedLimiter limiter = limiter(Keyed.of(SlidingLog.of(3, SECOND), 1));
        Request request = Request.forKey("evicted");
        limiter.tryAcquire(request);
        limiter.tryAcquire(Request.forKey("other"));
        time.jumpTo(time.read() - 1_100_000_000);
        assertEquals(2, take(limiter, request));
        limiter.tryAcquire(Request.forKey("other"));
        assertEquals(0, take(limiter, request));
    }

    /** A permit is released from a counter on two ways, once for each sign: in the order in which it never falls below 0. */
    @Test
    void whatCountsTwiceIsCorrectedBeforeItIsReleased() {
        StrategySpec shedding = new PriorityShedding(1, List.of(50));
        StrategySpec cold =
                AllOf.of(new WarmUp(shedding, Duration.ofNanos(1_000), 50, RampCurve.GUAVA, Duration.ofNanos(20_000)));
        StrategySpec several = AllOf.of(
                AllOf.of(new Counter(10)),
                Keyed.of(shedding, 2),
                AllOf.of(new Partitioned(10, Map.of("k1", 40), 0), new Counter(10)));
        ManagedLimiter limiter = limiter(cold);
        limiter.reconfigure(several);
        Permit first = assertInstanceOf(
                Permit.class, limiter.tryAcquire(Request.forKey("k0").withPriority(3)));
        limiter.reconfigure(Keyed.of(shedding, 2));
        limiter.dial().setLimit(11);
        Permit second = assertInstanceOf(
                Permit.class, limiter.tryAcquire(Request.forKey("k0").withPriority(2)));
        limiter.reconfigure(cold);
        limiter.reconfigure(several);
        second.release(Outcome.SUCCESS);
        assertEquals(1, limiter.inFlight());
        first.release(Outcome.SUCCESS);
        assertEquals(0, limiter.inFlight());
    }
}
