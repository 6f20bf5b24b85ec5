package dev.weir.keyed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Partitioned;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Several limits by key side by side, by the same names and by others, and dials, over changes that add, remove and exchange them. */
class KeyedSideBySideTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Request ANN = Request.forKey(Dimensions.of("url", "/", "user", "ann"));

    private final VirtualTime time = new VirtualTime();

    private ManagedLimiter limiter(StrategySpec spec) {
        return Limiters.builder("keyed", spec).ticker(time).build();
    }

    private static Keyed byUrl(StrategySpec perKey) {
        return Keyed.of(perKey, 100).by("url");
    }

    private static Keyed byUser(StrategySpec perKey) {
        return Keyed.of(perKey, 100).by("user");
    }

    private static TokenBucket hourly(long limit) {
        return TokenBucket.of(limit, HOUR);
    }

    private static Deque<Permit> take(ManagedLimiter limiter, int atMost) {
        Deque<Permit> all = new ArrayDeque<>();
        while (all.size() < atMost && limiter.tryAcquire(ANN) instanceof Permit permit) {
            all.add(permit);
        }
        return all;
    }

    private static int granted(ManagedLimiter limiter) {
        return take(limiter, 1_000).size();
    }

    @Test
    void W5_aLimitByOtherNamesLeavesThoseOfTheKeyAsTheyAre() {
        List<StrategySpec> others = List.of(
                AllOf.of(byUrl(hourly(40)), byUser(hourly(20))),
                AllOf.of(byUser(hourly(20)), byUrl(hourly(40))),
                AllOf.of(byUrl(hourly(40)), byUser(hourly(21))),
                AllOf.of(byUrl(new Semaphore(100)), byUser(hourly(20)), new Semaphore(100)));
        for (StrategySpec other : others) {
            ManagedLimiter limiter = limiter(byUser(hourly(20)));
            assertEquals(20, granted(limiter));
            int more = 0;
            for (int i = 0; i < 20; i++) {
                limiter.reconfigure(other);
                more += granted(limiter);
                limiter.reconfigure(byUser(hourly(20)));
                more += granted(limiter);
            }
            int added = other.toString().contains("permits=21") ? 1 : 0;
            assertEquals(added, more, other::toString);
        }
    }

    @Test
    void W5_limitsByTwoNamesAreExchanged() {
        ManagedLimiter limiter = limiter(AllOf.of(byUrl(hourly(20)), byUser(hourly(30))));
        assertEquals(20, granted(limiter));
        limiter.reconfigure(AllOf.of(byUser(hourly(31)), byUrl(hourly(21))));
        assertEquals(1, granted(limiter));
        limiter.reconfigure(byUrl(hourly(22)));
        assertEquals(1, granted(limiter));
        limiter.reconfigure(byUser(hourly(31)));
        assertEquals(10, granted(limiter));
    }

    @Test
    void S1_aSecondLimitByTheSameNamesCountsWhatTheFirstHasInFlight() {
        for (StrategySpec other : List.of(new Counter(3), new Semaphore(3), AllOf.of(hourly(100), new Counter(3)))) {
            Keyed five = byUser(new Semaphore(5));
            ManagedLimiter limiter = limiter(five);
            Deque<Permit> held = take(limiter, 2);
            for (int i = 0; i < 10; i++) {
                limiter.reconfigure(AllOf.of(five, byUser(other)));
                held.addAll(take(limiter, 9));
                assertEquals(3, held.size());
                limiter.reconfigure(byUser(other));
                assertEquals(0, granted(limiter));
                held.remove().close();
                limiter.reconfigure(AllOf.of(byUser(other), byUrl(new Semaphore(100)), five));
                held.addAll(take(limiter, 9));
                assertEquals(3, held.size());
                limiter.reconfigure(five);
                held.addAll(take(limiter, 9));
                assertEquals(5, held.size());
                assertEquals(5, limiter.inFlight());
                held.remove().close();
                held.remove().close();
                held.remove().close();
            }
            held.forEach(Permit::close);
            assertEquals(0, limiter.inFlight());
            assertEquals(5, granted(limiter));
        }
    }

    @Test
    void S1_aLimitByKeyWithAnotherKindOfRuleCountsWhatIsInFlight() {
        ManagedLimiter limiter = limiter(byUser(new Semaphore(5)));
        Deque<Permit> held = take(limiter, 5);
        limiter.reconfigure(AllOf.of(byUrl(hourly(1_000)), byUser(new Semaphore(6))));
        held.addAll(take(limiter, 9));
        assertEquals(6, held.size());
    }

    @Test
    void S1_whatSeveralLimitsByKeyGrantedIsCountedOnceByALimitForAll() {
        ManagedLimiter limiter = limiter(byUser(new Semaphore(3)));
        Deque<Permit> held = take(limiter, 2);
        limiter.reconfigure(byUrl(new Semaphore(3)));
        held.addAll(take(limiter, 2));
        limiter.reconfigure(AllOf.of(byUrl(new Semaphore(9)), byUser(new Semaphore(9))));
        held.addAll(take(limiter, 3));
        assertEquals(7, limiter.inFlight());
        for (int i = 0; i < 5; i++) {
            limiter.reconfigure(new Semaphore(8));
            held.addAll(take(limiter, 9));
            assertEquals(8, held.size());
            assertEquals(8, limiter.inFlight());
            held.remove().close();
            limiter.reconfigure(hourly(1_000));
            assertEquals(7, limiter.inFlight());
            limiter.reconfigure(AllOf.of(byUser(new Counter(9)), new Semaphore(8)));
            held.addAll(take(limiter, 9));
            assertEquals(8, held.size());
            held.remove().close();
            limiter.reconfigure(byUser(new Counter(9)));
            assertEquals(7, limiter.inFlight());
        }
        held.forEach(Permit::close);
        assertEquals(0, limiter.inFlight());
    }

    static List<StrategySpec> rates() {
        return List.of(
                hourly(10),
                FixedWindow.of(10, HOUR),
                SlidingWindow.of(10, HOUR),
                SlidingLog.of(10, HOUR),
                new FirstHitQuota(10, HOUR),
                AllOf.of(hourly(10), SlidingLog.of(10, HOUR)));
    }

    @ParameterizedTest
    @MethodSource("rates")
    void W5_aConcurrencyLimitOfTheKeyComesAndGoesAndItsRateStays(StrategySpec rate) {
        List<StrategySpec> others = List.of(
                byUser(AllOf.of(new Semaphore(20), rate)),
                byUser(AllOf.of(rate, new Semaphore(20))),
                AllOf.of(byUser(new Semaphore(20)), byUser(rate)),
                byUser(new Semaphore(20)),
                AllOf.of(byUrl(hourly(100)), byUser(rate)),
                byUrl(hourly(100)),
                new Semaphore(20));
        for (StrategySpec other : others) {
            ManagedLimiter limiter = limiter(byUser(rate));
            int granted = granted(limiter);
            for (int i = 0; i < 50; i++) {
                limiter.reconfigure(other);
                List<Permit> some = new ArrayList<>(i % 2 == 0 ? List.of() : take(limiter, 1));
                limiter.reconfigure(byUser(rate));
                granted += granted(limiter);
                some.forEach(Permit::close);
            }
            assertEquals(10, granted, other::toString);
            assertEquals(0, limiter.inFlight());
            time.advance(HOUR.plus(HOUR));
            assertEquals(10, granted(limiter));
        }
    }

    static List<StrategySpec> twos() {
        return List.of(
                new Semaphore(2),
                new Counter(2),
                new Partitioned(2, Map.of("gold", 50), 100),
                AllOf.of(new Semaphore(2), new Counter(50)),
                byUser(new Semaphore(2)),
                hourly(2),
                FixedWindow.of(2, HOUR),
                SlidingLog.of(2, HOUR),
                AllOf.of(hourly(2), SlidingLog.of(50, HOUR)));
    }

    @ParameterizedTest
    @MethodSource("twos")
    void aDialEndsWithThePartInForce(StrategySpec two) {
        List<StrategySpec> others = List.of(
                hourly(1_000),
                FixedWindow.of(1_000, HOUR),
                new Semaphore(1_000),
                new Counter(1_000),
                byUser(new Semaphore(1_000)),
                byUser(hourly(1_000)),
                AllOf.of(new Counter(1_000), hourly(1_000)));
        for (StrategySpec other : others) {
            for (long dialed : new long[] {100, 1}) {
                ManagedLimiter limiter = limiter(two);
                limiter.dial().setLimit(dialed);
                Deque<Permit> held = take(limiter, 1);
                limiter.reconfigure(other);
                limiter.reconfigure(two);
                assertEquals(2, limiter.snapshot().limit(), () -> dialed + ", " + other);
                assertNull(limiter.snapshot().limitSetBy());
                held.addAll(take(limiter, 200));
                assertEquals(2, held.size(), () -> dialed + ", " + other);
            }
        }
    }
}
