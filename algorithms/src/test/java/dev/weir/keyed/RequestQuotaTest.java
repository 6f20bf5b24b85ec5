package dev.weir.keyed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.weir.Permit;
import dev.weir.Permit.Quota;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Partitioned;
import dev.weir.algorithms.PriorityShedding;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.TokenBucket;
import dev.weir.algorithms.WarmUp;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.RampCurve;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The figures of a limit for one request, worked by hand. */
class RequestQuotaTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Request ANN = Request.forKey("ann");
    private static final Request BEN = Request.forKey("ben");

    private final VirtualTime time = new VirtualTime();

    private ManagedLimiter limiter(StrategySpec spec) {
        return Limiters.builder("quota", spec).ticker(time).build();
    }

    private static void take(ManagedLimiter limiter, Request request, int times) {
        for (int i = 0; i < times; i++) {
            assertInstanceOf(Permit.class, limiter.tryAcquire(request));
        }
    }

    private static int granted(ManagedLimiter limiter, Request request) {
        int granted = 0;
        while (limiter.tryAcquire(request) instanceof Permit) {
            granted++;
        }
        return granted;
    }

    @Test
    void aRateTellsLimitRestResetAndWindow() {
        ManagedLimiter limiter = limiter(TokenBucket.of(60, MINUTE));
        assertEquals(new Quota(60, 60, 0, 60 * SECOND), limiter.quota(Request.ONE));
        take(limiter, Request.ONE, 3);
        assertEquals(new Quota(60, 57, 3 * SECOND, 60 * SECOND), limiter.quota(Request.ONE));
        time.advance(SECOND);
        assertEquals(new Quota(60, 58, 2 * SECOND, 60 * SECOND), limiter.quota(Request.ONE));
        limiter.close();
        assertNull(limiter.quota(Request.ONE));
    }

    @Test
    void aWindowIsResetWhenItEnds() {
        for (StrategySpec window : List.of(FixedWindow.of(5, MINUTE), new FirstHitQuota(5, MINUTE))) {
            ManagedLimiter limiter = limiter(window);
            take(limiter, Request.ONE, 1);
            time.advance(10 * SECOND);
            take(limiter, Request.ONE, 1);
            assertEquals(new Quota(5, 3, 50 * SECOND, 60 * SECOND), limiter.quota(Request.ONE), window.toString());
        }
        ManagedLimiter log = limiter(SlidingLog.of(5, MINUTE));
        take(log, Request.ONE, 1);
        time.advance(10 * SECOND);
        take(log, Request.ONE, 1);
        assertEquals(new Quota(5, 3, 60 * SECOND, 60 * SECOND), log.quota(Request.ONE));
    }

    @Test
    void S20_ofALimitByKeyTheFiguresAreThoseOfTheKey() {
        ManagedLimiter limiter = limiter(Keyed.of(TokenBucket.of(60, MINUTE), 100));
        take(limiter, ANN, 2);
        assertEquals(new Quota(60, 58, 2 * SECOND, 60 * SECOND), limiter.quota(ANN));
        assertEquals(new Quota(60, 60, 0, 60 * SECOND), limiter.quota(BEN));
        assertEquals(1L, limiter.snapshot().details().get("keys"), "to ask for ben's does not make ben known");
        assertNull(limiter.quota(Request.ONE));
        limiter.dial().setLimit(30);
        assertEquals(30, limiter.quota(BEN).limit());
    }

    @Test
    void S20_aKeyThatWasEvictedIsNotToldMoreThanItGets() {
        ManagedLimiter rates = limiter(Keyed.of(TokenBucket.of(60, MINUTE), 1));
        ManagedLimiter held = limiter(Keyed.of(new Semaphore(60), 1));
        for (ManagedLimiter limiter : List.of(rates, held)) {
            take(limiter, ANN, 50);
            for (int other = 0; other < 100; other++) {
                take(limiter, Request.forKey(other), 1);
                take(limiter, Request.forKey(other), 1);
            }
            assertEquals(10, limiter.quota(ANN).remaining());
            assertEquals(10, granted(limiter, ANN));
        }
    }

    @Test
    void ofABurstAboveTheRateAllIsLeft() {
        TokenBucket bucket = TokenBucket.of(1, MINUTE).withCapacity(10);
        for (StrategySpec spec : List.of(bucket, new AllOf(List.of(bucket, TokenBucket.of(100, MINUTE))))) {
            ManagedLimiter limiter = limiter(spec);
            take(limiter, Request.ONE, 3);
            assertEquals(new Quota(1, 7, 180 * SECOND, 60 * SECOND), limiter.quota(Request.ONE));
            assertEquals(7, granted(limiter, Request.ONE));
        }
    }

    @Test
    void whatIsHeldIsInFlightThroughEveryChange() {
        ManagedLimiter limiter = limiter(new Semaphore(3));
        Deque<Permit> held = new ArrayDeque<>();
        for (StrategySpec next : List.of(
                Keyed.of(new Semaphore(5), 100),
                TokenBucket.of(60, MINUTE),
                new AllOf(List.of(new Semaphore(9), Keyed.of(new Semaphore(5), 100))),
                Keyed.of(new Semaphore(5), 100))) {
            if (limiter.holds()) {
                held.add(assertInstanceOf(Permit.class, limiter.tryAcquire(ANN)));
            }
            limiter.reconfigure(next);
            assertEquals(held.size(), limiter.snapshot().inFlight(), next::toString);
        }
        limiter.close();
        while (!held.isEmpty()) {
            assertEquals(held.size(), limiter.inFlight());
            held.remove().close();
        }
        assertEquals(0, limiter.inFlight());
    }

    @Test
    void aConcurrencyLimitTellsWhatIsFree() {
        ManagedLimiter limiter = limiter(Keyed.of(new Semaphore(3), 100));
        take(limiter, ANN, 2);
        assertEquals(new Quota(3, 1, 0, 0), limiter.quota(ANN));
        assertEquals(new Quota(3, 3, 0, 0), limiter.quota(BEN));
    }

    @Test
    void S20_ofSeveralLimitsAllFiguresAreOfTheOneThatLeavesTheFewest() {
        ManagedLimiter limiter = limiter(
                AllOf.of(new Semaphore(5), Keyed.of(TokenBucket.of(60, MINUTE), 100), FixedWindow.of(50, MINUTE)));
        assertEquals(new Quota(5, 5, 0, 0), limiter.quota(ANN));
        for (int i = 0; i < 48; i++) {
            limiter.run(ANN, () -> {}, refused -> {});
        }
        assertEquals(new Quota(50, 2, 60 * SECOND, 60 * SECOND), limiter.quota(ANN));
        time.advance(60 * SECOND - 1);
        assertEquals(new Quota(50, 2, 1, 60 * SECOND), limiter.quota(BEN));
        assertNull(limiter.quota(Request.ONE), "one of them counts by key");
    }

    @Test
    void whatIsLeftDependsOnPriorityAndPartition() {
        ManagedLimiter shedding = limiter(PriorityShedding.of(10, 20, 50));
        take(shedding, Request.ONE, 4);
        assertEquals(new Quota(10, 6, 0, 0), shedding.quota(Request.ONE));
        assertEquals(new Quota(10, 4, 0, 0), shedding.quota(Request.ONE.withPriority(1)));
        assertEquals(new Quota(10, 1, 0, 0), shedding.quota(Request.ONE.withPriority(7)));

        ManagedLimiter parts = limiter(new Partitioned(10, Map.of("ann", 40, "ben", 30), 0));
        assertEquals(7, parts.quota(ANN).remaining(), "3 are reserved for ben");
        assertEquals(3, parts.quota(Request.ONE).remaining());
        take(parts, ANN, 7);
        assertEquals(0, parts.quota(ANN).remaining());
        assertEquals(3, parts.quota(BEN).remaining());
        assertEquals(0, parts.quota(Request.ONE).remaining());
        assertEquals(0, parts.remaining());
    }

    /** Cold is 10 of 100. Warm after 10 s, cold again after 5 s without a request. */
    @Test
    void S20_toAskIsNotUseOfALimitThatBecomesColdWhenIdle() {
        Duration idle = Duration.ofSeconds(5);
        for (StrategySpec target : List.of(new Semaphore(100), TokenBucket.of(100, Duration.ofSeconds(1)))) {
            ManagedLimiter limiter = limiter(new WarmUp(target, Duration.ofSeconds(10), 10, RampCurve.LINEAR, idle));
            assertEquals(10, limiter.quota(Request.ONE).remaining());
            for (int second = 0; second < 10; second++) {
                limiter.run(() -> {});
                time.advance(SECOND);
            }
            limiter.run(() -> {});
            assertEquals(100, limiter.quota(Request.ONE).limit());
            for (int second = 0; second < 5; second++) {
                assertEquals(100, limiter.quota(Request.ONE).limit(), target.toString());
                time.advance(SECOND);
            }
            assertEquals(10, limiter.quota(Request.ONE).remaining(), target.toString());
            assertEquals(10, limiter.quota(Request.ONE).limit());
            assertEquals(10, granted(limiter, Request.ONE));
        }
    }
}
