package dev.weir.keyed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Partitioned;
import dev.weir.algorithms.PriorityShedding;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.algorithms.WarmUp;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.RampCurve;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a key has used and holds, over changes of its limit and of the kind of limit, evicted or not. */
class KeyedChangeTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime();

    private ManagedLimiter limiter(StrategySpec spec) {
        return Limiters.builder("keyed", spec).ticker(time).build();
    }

    private static Keyed by(StrategySpec perKey) {
        return Keyed.of(perKey, 100);
    }

    private static List<Permit> take(ManagedLimiter limiter, String key, int atMost) {
        return take(limiter, Request.forKey(key), atMost);
    }

    private static List<Permit> take(ManagedLimiter limiter, Request request, int atMost) {
        List<Permit> all = new ArrayList<>();
        while (all.size() < atMost && limiter.tryAcquire(request) instanceof Permit permit) {
            all.add(permit);
        }
        return all;
    }

    private static int admitted(ManagedLimiter limiter, String key) {
        return take(limiter, key, 1_000).size();
    }

    private static void flood(ManagedLimiter limiter) {
        for (int i = 0; i < 1_000; i++) {
            take(limiter, "flood" + i, 1).forEach(Permit::close);
        }
    }

    static List<StrategySpec> rates() {
        return List.of(
                TokenBucket.of(100, HOUR),
                new TokenBucket(100, HOUR, 100, 100, TokenBucket.Refill.INTERVAL),
                LeakyBucket.of(100, HOUR).withBurst(99),
                Gcra.of(100, HOUR),
                FixedWindow.of(100, HOUR),
                new FirstHitQuota(100, HOUR),
                SlidingLog.of(100, HOUR),
                SlidingWindow.of(100, HOUR),
                AllOf.of(TokenBucket.of(100, HOUR), SlidingLog.of(100, HOUR)));
    }

    @ParameterizedTest
    @MethodSource("rates")
    void K3_anEvictedKeyThatUsedOneOfAHundredMayUseTheOthers(StrategySpec rate) {
        ManagedLimiter limiter = limiter(Keyed.of(rate, 10));
        assertEquals(1, take(limiter, "regular", 1).size());
        for (int again = 0; again < 5; again++) {
            flood(limiter);
        }
        assertEquals(99, admitted(limiter, "regular"));
        flood(limiter);
        assertEquals(0, admitted(limiter, "regular"));
        time.advance(HOUR.plus(HOUR));
        assertEquals(100, admitted(limiter, "regular"));
    }

    @ParameterizedTest
    @MethodSource("rates")
    void W5_anotherAlgorithmAndBackKeepsTheUseOfAllKeys(StrategySpec rate) {
        ManagedLimiter limiter = limiter(Keyed.of(rate, 10).withDebtCells(1 << 16));
        for (StrategySpec other : rates()) {
            time.advance(HOUR.multipliedBy(3));
            int used = take(limiter, "stays", 60).size()
                    + take(limiter, "evicted", 60).size();
            assertEquals(120, used, "a fresh start before " + other);
            flood(limiter);
            for (int i = 0; i < 3; i++) {
                limiter.reconfigure(Keyed.of(other, 10).withDebtCells(1 << 16));
                flood(limiter);
                limiter.reconfigure(Keyed.of(rate, 10).withDebtCells(1 << 16));
            }
            assertTrue(admitted(limiter, "stays") <= 40, () -> rate + " to " + other);
            int rest = admitted(limiter, "evicted");
            assertTrue(rest <= 40 && rest >= 38, () -> rate + " to " + other + " left " + rest);
        }
    }

    @Test
    void K1_aFirstHitQuotaIsNotRefundedByEviction() {
        ManagedLimiter limiter = limiter(Keyed.of(new FirstHitQuota(100, Duration.ofMinutes(10)), 10));
        int admitted = 0;
        for (int round = 0; round < 60; round++) {
            admitted += admitted(limiter, "attacker");
            flood(limiter);
            time.advance(Duration.ofSeconds(10));
        }
        assertEquals(100, admitted);
    }

    @Test
    void K1_aWarmUpByKeyIsNotRefundedByEvictionAndTellsTheLimitInForce() {
        StrategySpec warming = new WarmUp(
                TokenBucket.of(100, Duration.ofSeconds(1)), Duration.ofSeconds(10), 10, RampCurve.LINEAR, null);
        ManagedLimiter limiter = limiter(Keyed.of(warming, 10));
        assertEquals(10, limiter.snapshot().limit());
        int admitted = 0;
        for (int again = 0; again < 50; again++) {
            admitted += admitted(limiter, "attacker");
            flood(limiter);
        }
        assertEquals(10, admitted, "a tenth of the burst while it is cold");
        time.advance(Duration.ofSeconds(20));
        assertEquals(100, limiter.snapshot().limit());
        for (int again = 0; again < 50; again++) {
            admitted += admitted(limiter, "attacker");
            flood(limiter);
        }
        assertEquals(110, admitted);
    }

    @Test
    void aCancelledRequestIsRefundedByEachLimitOfTheKey() {
        ManagedLimiter limiter = limiter(by(AllOf.of(new Semaphore(5), TokenBucket.of(5, HOUR))));
        List<Permit> permits = take(limiter, Request.forKey("a").refundable(), 9);
        assertEquals(5, permits.size());
        permits.forEach(permit -> permit.release(Outcome.CANCELLED));
        assertEquals(5, admitted(limiter, "a"));
    }

    @Test
    void S11_aPermitReturnsToThePartitionThatGrantedIt() {
        ManagedLimiter limiter = limiter(by(new Partitioned(10, Map.of("a", 50), 0)));
        List<Permit> held = take(limiter, "a", 5);
        limiter.reconfigure(by(new Partitioned(10, Map.of("b", 50), 0)));
        held.forEach(Permit::close);
        limiter.reconfigure(by(new Partitioned(10, Map.of("a", 50), 0)));
        assertEquals(10, take(limiter, "a", 20).size());
    }

    @Test
    void S3_theRejectionOfOneKeyDoesNotImplyThatOfAnother() {
        for (StrategySpec perKey : List.of(TokenBucket.of(1, HOUR), new Semaphore(1))) {
            assertFalse(limiter(by(perKey)).refusesAlike());
            assertFalse(limiter(AllOf.of(by(perKey), TokenBucket.of(9, HOUR))).refusesAlike());
        }
    }

    @Test
    void theReasonIsThatOfTheStrategyOfTheKey() {
        ManagedLimiter limiter = limiter(by(PriorityShedding.of(2, 50)));
        take(limiter, "a", 1);
        Request low = new Request(1, 1, "a", Request.NO_DEADLINE);
        Rejection refused = assertInstanceOf(Rejection.class, limiter.tryAcquire(low));
        assertEquals(Rejection.Reason.SHED, refused.reason());
    }

    @Test
    void S1_fromConcurrencyToARateAndBackCountsWhatIsInFlightOnEachKey() {
        ManagedLimiter limiter = limiter(by(new Semaphore(2)));
        List<Permit> held = take(limiter, "a", 9);
        limiter.reconfigure(by(TokenBucket.of(7, HOUR)));
        assertEquals(7, admitted(limiter, "a"));
        limiter.reconfigure(by(new Semaphore(3)));
        assertEquals(1, take(limiter, "a", 9).size());
        assertEquals(3, limiter.snapshot().inFlight());
        held.forEach(Permit::close);
        assertEquals(2, take(limiter, "a", 9).size());
        limiter.reconfigure(by(TokenBucket.of(8, HOUR)));
        assertEquals(1, admitted(limiter, "a"), "7 were used by the rate before");
    }

    @Test
    void W5_theRateOfEachKeyIsKeptAsideWhileOnlyConcurrencyIsLimited() {
        StrategySpec both = AllOf.of(new Semaphore(5), TokenBucket.of(10, HOUR));
        ManagedLimiter limiter = limiter(Keyed.of(both, 10));
        for (String key : List.of("stays", "evicted", "evicted later")) {
            take(limiter, key, 4).forEach(Permit::close);
            take(limiter, key, 5).forEach(Permit::close);
        }
        flood(limiter);
        take(limiter, "evicted later", 1).forEach(Permit::close);
        limiter.reconfigure(Keyed.of(new Semaphore(5), 10));
        take(limiter, "evicted later", 5).forEach(Permit::close);
        flood(limiter);
        limiter.reconfigure(Keyed.of(both, 10));
        assertEquals(0, admitted(limiter, "evicted later"));
        assertEquals(1, admitted(limiter, "stays"));
        assertEquals(1, admitted(limiter, "evicted"));
        time.advance(HOUR);
        assertEquals(4, admitted(limiter, "evicted"), "one is in flight");
    }

    /** Evicted while only its concurrency is limited, and used again when its rate is limited. */
    @Test
    void W5_aKeyThatReturnsWhileItsRateIsNotInForceKeepsItsDebt() {
        StrategySpec both = AllOf.of(new Semaphore(5), TokenBucket.of(10, HOUR));
        ManagedLimiter limiter = limiter(Keyed.of(both, 10));
        take(limiter, "a", 5).forEach(Permit::close);
        take(limiter, "a", 5).forEach(Permit::close);
        limiter.reconfigure(Keyed.of(new Semaphore(5), 10));
        flood(limiter);
        take(limiter, "a", 1).forEach(Permit::close);
        limiter.reconfigure(Keyed.of(both, 10));
        assertEquals(0, admitted(limiter, "a"));
    }

    @Test
    void S1_whatKeysHaveInFlightCountsInALimitOfAll() {
        ManagedLimiter limiter = limiter(Keyed.of(new Semaphore(2), 1));
        List<Permit> held = new ArrayList<>(take(limiter, "a", 9));
        held.addAll(take(limiter, "b", 9));
        limiter.reconfigure(new Semaphore(5));
        List<Permit> more = take(limiter, "a", 9);
        assertEquals(1, more.size());
        held.forEach(Permit::close);
        assertEquals(1, limiter.snapshot().inFlight());
        assertEquals(4, take(limiter, "a", 9).size());
    }

    @Test
    void S1_withALimitForAllKeysContinueAndLaterGrantsCountOnlyThere() {
        ManagedLimiter limiter = limiter(by(new Semaphore(2)));
        List<Permit> held = new ArrayList<>(take(limiter, "a", 2));
        limiter.reconfigure(AllOf.of(by(new Semaphore(2)), new Semaphore(3)));
        assertEquals(0, take(limiter, "a", 9).size());
        List<Permit> more = take(limiter, "b", 9);
        assertEquals(1, more.size(), "3 of all, 2 of which a has");
        held.forEach(Permit::close);
        assertEquals(2, take(limiter, "a", 9).size());
        assertEquals(0, take(limiter, "b", 9).size());
        assertEquals(3, limiter.snapshot().inFlight());
    }

    @Test
    void S1_S11_countersOfKeysAreHandedOverFromKindToKindManyTimes() {
        ManagedLimiter limiter = limiter(Keyed.of(new Semaphore(3), 2));
        List<StrategySpec> kinds = List.of(
                new Counter(3),
                AllOf.of(new Counter(3), TokenBucket.of(1_000, HOUR)),
                PriorityShedding.of(3),
                new Partitioned(3, Map.of(), 0),
                new Semaphore(3));
        List<Permit> held = new ArrayList<>();
        for (int change = 0; change < 50; change++) {
            for (String key : List.of("a", "b", "c", "d")) {
                held.addAll(take(limiter, key, 1 + change % 2));
                assertTrue(limiter.snapshot().inFlight() <= 12);
            }
            limiter.reconfigure(Keyed.of(kinds.get(change % kinds.size()), 2));
            while (held.size() > 7) {
                held.remove(change % held.size()).close();
            }
        }
        assertEquals(held.size(), limiter.snapshot().inFlight());
        held.forEach(Permit::close);
        assertEquals(0, limiter.snapshot().inFlight());
        assertEquals(0L, limiter.snapshot().details().get("retainedKeys"));
        assertEquals(3, take(limiter, "a", 9).size());
    }

    /** A specification that asks the limiter while it is adjusted; the engine refuses this while no other thread may ask. */
    private static final class Asking implements StrategySpec {
        final TokenBucket bucket;
        final AtomicReference<ManagedLimiter> limiter;
        int adjusted;

        Asking(TokenBucket bucket, AtomicReference<ManagedLimiter> limiter) {
            this.bucket = bucket;
            this.limiter = limiter;
        }

        @Override
        public Strategy create(Ticker ticker) {
            return bucket.create(ticker);
        }

        @Override
        public boolean adjust(Strategy running) {
            adjusted++;
            limiter.get().tryAcquire(Request.ONE);
            return bucket.adjust(running);
        }
    }

    @Test
    void aChangeOfManyKeysBlocksNoRequest() {
        AtomicReference<ManagedLimiter> asked = new AtomicReference<>(limiter(new Semaphore(1)));
        Asking before = new Asking(TokenBucket.of(10, HOUR), asked);
        Asking after = new Asking(TokenBucket.of(11, HOUR), asked);
        ManagedLimiter limiter = limiter(AllOf.of(Keyed.of(before, 1_000), TokenBucket.of(1_000_000, HOUR)));
        for (int i = 0; i < 100; i++) {
            assertEquals(1, take(limiter, "key" + i, 1).size());
        }
        asked.set(limiter);
        limiter.reconfigure(AllOf.of(Keyed.of(after, 1_000), SlidingWindow.of(1_000_000, HOUR)));
        assertTrue(after.adjusted >= 100, () -> "all keys are by the new limit: " + after.adjusted);
        assertEquals(10, admitted(limiter, "key1"));
    }

    @Test
    void aRateWithoutAnAccountIsRefusedOnCreation() {
        StrategySpec nameless = ticker -> new Strategy() {
            @Override
            public long acquire(Request request) {
                return GRANTED;
            }

            @Override
            public Traits traits() {
                return Traits.RATE;
            }

            @Override
            public long limit() {
                return 1;
            }

            @Override
            public void setLimit(long limit) {}
        };
        assertThrows(IllegalArgumentException.class, () -> limiter(by(nameless)));
        assertThrows(IllegalArgumentException.class, () -> by(AllOf.of(by(new Semaphore(1)), new Semaphore(1))));
    }

    @Test
    void K3_aSketchThatIsTooFullIsReported() {
        ManagedLimiter limiter = limiter(Keyed.of(TokenBucket.of(100, HOUR), 10).withDebtCells(512));
        assertEquals(0L, limiter.snapshot().details().get("debtCellsTooFew"));
        for (int i = 0; i < 10; i++) {
            flood(limiter);
        }
        assertEquals(1L, limiter.snapshot().details().get("debtCellsTooFew"));
        time.advance(HOUR);
        assertEquals(0L, limiter.snapshot().details().get("debtCellsTooFew"));
    }
}
