package dev.weir.verification.engine;

import static dev.weir.Outcome.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.engine.ManagedLimiter.LongHeldPermit;
import dev.weir.keyed.Keyed;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a permit does is the same whether it is observed, counted, tracked or not; only what can leak is tracked. */
class PermitRulesTest {
    private static final StrategySpec HOURLY = TokenBucket.of(2, Duration.ofHours(1));

    private final VirtualTime time = new VirtualTime();

    enum Watched {
        NOT(limiter -> {}),
        COUNTED(ManagedLimiter::counts),
        OBSERVED(limiter -> limiter.observe(new LimiterObserver() {})),
        TIMED(limiter -> limiter.observe(new LimiterObserver() {
            @Override
            public boolean timesNext() {
                return true;
            }
        }));

        private final Consumer<ManagedLimiter> by;

        Watched(Consumer<ManagedLimiter> by) {
            this.by = by;
        }
    }

    private ManagedLimiter limiter(StrategySpec spec, Watched watched) {
        ManagedLimiter limiter = Limiters.builder("n", spec).ticker(time).build();
        watched.by.accept(limiter);
        return limiter;
    }

    @ParameterizedTest
    @EnumSource
    void S13_aCancelledRatePermitGivesNothingBackAndTakesEveryRelease(Watched watched) {
        ManagedLimiter limiter = limiter(HOURLY, watched);
        for (int i = 0; i < 2; i++) {
            Permit permit = assertInstanceOf(Permit.class, limiter.tryAcquire());
            assertEquals(
                    List.of(true, true), List.of(permit.release(Outcome.CANCELLED), permit.release(Outcome.CANCELLED)));
        }
        assertInstanceOf(Rejection.class, limiter.tryAcquire());
        assertEquals(0, limiter.counts().doubleReleases());
    }

    @ParameterizedTest
    @EnumSource
    void R6_aRefundableRequestIsRefundedOnceOnEveryWayAndNoOtherIs(Watched watched) {
        for (StrategySpec spec : List.of(HOURLY, AllOf.of(new Semaphore(9), HOURLY), Keyed.of(HOURLY, 9))) {
            for (boolean queued : new boolean[] {true, false}) {
                ManagedLimiter limiter = limiter(spec, watched);
                Request plain = Request.forKey("ann");
                for (int i = 0; i < 9; i++) {
                    Permit permit = cancelled(limiter, queued, plain.refundable());
                    assertFalse(permit.release(Outcome.CANCELLED));
                }
                cancelled(limiter, queued, plain);
                cancelled(limiter, queued, plain);
                assertInstanceOf(Rejection.class, limiter.tryAcquire(plain), "2 of 2 are spent by " + spec);
            }
        }
    }

    private static Permit cancelled(ManagedLimiter limiter, boolean queued, Request request) {
        Decision decision = queued ? limiter.attempt(request) : limiter.tryAcquire(request);
        Permit permit = assertInstanceOf(Permit.class, decision);
        assertTrue(permit.release(Outcome.CANCELLED));
        return permit;
    }

    /** 10 a second: of 10 that were spent at once, 4 have refilled after 400 ms, so 6 are refunded. */
    @ParameterizedTest
    @EnumSource
    void R6_whatHasRefilledIsNotRefunded(Watched watched) {
        StrategySpec rate = TokenBucket.of(10, Duration.ofSeconds(1));
        for (StrategySpec spec : List.of(rate, AllOf.of(new Semaphore(99), rate))) {
            ManagedLimiter limiter = limiter(spec, watched);
            Permit ten = assertInstanceOf(
                    Permit.class, limiter.tryAcquire(Request.of(10).refundable()));
            time.advance(Duration.ofMillis(400));
            assertEquals(4, granted(limiter));
            assertTrue(ten.release(Outcome.CANCELLED));
            assertEquals(6, granted(limiter));
        }
    }

    private static int granted(ManagedLimiter limiter) {
        int granted = 0;
        while (limiter.tryAcquire() instanceof Permit) {
            granted++;
        }
        return granted;
    }

    @ParameterizedTest
    @EnumSource
    void S13_aPermitThatWasLetThroughOverAConcurrencyLimitOrByAQueueIsReleasedOnce(Watched watched) {
        for (StrategySpec spec : List.of(new Semaphore(1), HOURLY, SlidingLog.of(1, Duration.ofHours(1)))) {
            ManagedLimiter limiter = limiter(spec, watched);
            limiter.enforce(0);
            List<Decision> passed = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                passed.add(limiter.attempt(Request.ONE));
            }
            passed.add(limiter.letThrough(Request.ONE, null));
            if (limiter.holds()) {
                passed.add(limiter.tryAcquire());
            }
            for (Decision decision : passed) {
                Permit permit = assertInstanceOf(Permit.class, decision);
                assertEquals(List.of(true, false), List.of(permit.release(SUCCESS), permit.release(SUCCESS)));
            }
            assertEquals(passed.size(), limiter.counts().doubleReleases());
        }
    }

    @Test
    void aRatesPermitsAreNotTracked() {
        ManagedLimiter limiter = Limiters.builder("n", TokenBucket.of(1_000, Duration.ofSeconds(1)))
                .ticker(time)
                .trackPermits(1)
                .build();
        for (int i = 0; i < 1_000; i++) {
            assertInstanceOf(Permit.class, limiter.tryAcquire());
        }
        time.advance(1);
        assertEquals(List.of(), limiter.heldLongerThan(Duration.ZERO));
        assertEquals(0, limiter.snapshot().oldestHeldNanos());
    }

    @Test
    void trackingCanBeChangedWhileItRunsAndGoesThroughEveryChange() {
        ManagedLimiter limiter =
                Limiters.builder("n", new Semaphore(100)).ticker(time).build();
        List<Permit> held = new ArrayList<>(List.of((Permit) limiter.tryAcquire()));
        limiter.trackPermits(1);
        held.add((Permit) limiter.tryAcquire());
        limiter.dial().setLimit(90);
        held.add((Permit) limiter.tryAcquire());
        limiter.reconfigure(new Counter(80));
        held.add((Permit) limiter.attempt(Request.ONE, limiter.requestData()));
        limiter.enforce(0.5);
        limiter.observe(new LimiterObserver() {}).close();
        limiter.trackPermits(2);
        for (int i = 0; i < 4; i++) {
            held.add((Permit) limiter.tryAcquire());
        }
        limiter.trackPermits(0);
        held.add((Permit) limiter.tryAcquire());
        time.advance(1);
        assertEquals(3 + 2, limiter.heldLongerThan(Duration.ZERO).size(), "what is tracked stays so");
        held.forEach(Permit::close);
        assertEquals(List.of(), limiter.heldLongerThan(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> limiter.trackPermits(-1));
    }

    @Test
    void permitsThatWereLetThroughAreNeitherTimedNorTracked() {
        ManagedLimiter limiter = Limiters.builder("n", new Semaphore(1))
                .ticker(time)
                .trackPermits(1)
                .build();
        Watched.TIMED.by.accept(limiter);
        limiter.enforce(0);
        for (int i = 0; i < 100; i++) {
            assertInstanceOf(Permit.class, limiter.tryAcquire());
        }
        time.advance(1);
        assertEquals(1, limiter.timedAges().length);
        assertEquals(1, limiter.heldLongerThan(Duration.ZERO).size());
    }

    @Test
    void theLeakReportNamesWhoAskedNotWhoReleased() throws Exception {
        ManagedLimiter limiter = Limiters.builder("n", new Semaphore(1))
                .ticker(time)
                .trackPermits(1)
                .build();
        Object[] requestData = new Object[1];
        Thread asker = new Thread(() -> requestData[0] = arrives(limiter), "asker");
        asker.start();
        asker.join();
        assertInstanceOf(Permit.class, limiter.attempt(Request.ONE, requestData[0]));
        time.advance(1);
        LongHeldPermit held = limiter.heldLongerThan(Duration.ZERO).get(0);
        assertEquals("asker", held.thread());
        assertEquals("arrives", held.acquiredAt().get(0).getMethodName());
    }

    private static Object arrives(ManagedLimiter limiter) {
        return limiter.requestData();
    }

    @Test
    void aRequestThatWaitsIsJudgedOnceByTheEnforcedShare() {
        ManagedLimiter limiter = limiter(new Semaphore(1), Watched.NOT);
        assertInstanceOf(Permit.class, limiter.tryAcquire());
        assertNull(limiter.requestData());
        limiter.enforce(0.5);
        int passed = 0;
        for (int i = 0; i < 1_000; i++) {
            Object requestData = limiter.requestData();
            boolean in = false;
            for (int attempt = 0; attempt < 5 && !in; attempt++) {
                in = limiter.attempt(Request.ONE, requestData) instanceof Permit;
            }
            passed += in ? 1 : 0;
        }
        assertEquals(500, passed, 2);
    }

    @Test
    void S15_aClockThatFailsInAReleaseStillWakesWhoWaits() {
        boolean[] broken = new boolean[1];
        ManagedLimiter limiter = Limiters.builder(
                        "n", AllOf.of(new Semaphore(1), TokenBucket.of(9, Duration.ofHours(1))))
                .ticker(() -> {
                    if (broken[0]) {
                        throw new IllegalStateException("no time");
                    }
                    return time.read();
                })
                .build();
        AtomicInteger woken = new AtomicInteger();
        limiter.whenCapacity(woken::incrementAndGet);
        Permit permit = assertInstanceOf(Permit.class, limiter.tryAcquire(Request.ONE.refundable()));
        broken[0] = true;
        permit.release(Outcome.CANCELLED);
        broken[0] = false;
        assertEquals(1, woken.get());
        assertEquals(1, limiter.counts().failures());
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void theSnapshotTellsWhoSetAnotherLimitThanTheSpecifications() {
        ManagedLimiter limiter = limiter(new Semaphore(4), Watched.NOT);
        assertNull(limiter.snapshot().limitSetBy());
        limiter.dial().setLimit(3, "operator");
        limiter.reconfigure(new Semaphore(4));
        assertEquals("operator", limiter.snapshot().limitSetBy());
        assertEquals(3, limiter.snapshot().limit());
        limiter.counts();
        assertEquals("operator", limiter.snapshot().limitSetBy());
        limiter.reconfigure(new Semaphore(5));
        assertNull(limiter.snapshot().limitSetBy());
    }
}
