package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.WarmUp.Curve;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.Oracle.Grant;
import dev.weir.testkit.Seed;
import dev.weir.testkit.StrategyContract;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class WarmUpTest extends StrategyContract {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration TEN = Duration.ofSeconds(10);
    private static final long MILLI = 1_000_000;

    @Override
    protected StrategySpec spec(long limit) {
        return new WarmUp(new Semaphore(limit), TEN, 100, Curve.LINEAR, Duration.ofHours(1));
    }

    @Nested
    class OfARate extends StrategyContract {
        @Override
        protected StrategySpec spec(long limit) {
            return new WarmUp(TokenBucket.of(limit, SECOND), TEN, 100, Curve.GUAVA, null);
        }

        @Override
        protected long mostWithin(long windowNanos, long limit) {
            return limit + windowNanos * limit / 1_000_000_000L;
        }
    }

    @Nested
    class OfSeveral extends StrategyContract {
        @Override
        protected StrategySpec spec(long limit) {
            return new WarmUp(AllOf.of(new Semaphore(limit), new Semaphore(1000)), TEN, 100, Curve.LINEAR, null);
        }
    }

    @Test
    void W_neverZeroNeverFallingAndFullAtThePeriod() {
        Seed.forAll(200, random -> {
            long full = Seed.oneOf(random, 1L, 2L, 7L, 1000L, (long) Integer.MAX_VALUE);
            long period = Seed.oneOf(random, 1L, 3L, 255L, 256L, 257L, 10_000_000_000L, 1L << 61);
            int floor = random.nextInt(1, 101);
            VirtualTime time = new VirtualTime(Seed.oneOf(random, 0L, -1L, Long.MAX_VALUE - 5, Long.MIN_VALUE));
            Curve curve = Seed.oneOf(random, Curve.values());
            Strategy strategy =
                    new WarmUp(new Semaphore(full), Duration.ofNanos(period), floor, curve, null).create(time);
            long last = Math.max(1, full * floor / 100 - (full >> 29)); // fractions have 30 bits
            long left = period;
            while (left > 0) {
                if (random.nextInt(50) == 0) {
                    time.jumpTo(time.read() - random.nextLong(period)); // back: no step is lost
                    left = period;
                }
                strategy.acquire(Request.of(Long.MAX_VALUE));
                assertTrue(strategy.limit() >= last && strategy.limit() <= full);
                last = strategy.limit();
                long pause = Math.min(left, random.nextLong(period / 20 + 1) + 1);
                time.advance(pause);
                left -= pause;
            }
            strategy.acquire(Request.of(Long.MAX_VALUE));
            assertEquals(full, strategy.limit());
            assertEquals(full, strategy.target());
        });
    }

    @Test
    void W_aSaturatedRateFollowsTheCurveAndReachesNinetyNinePerCentInTime() {
        for (Curve curve : Curve.values()) {
            for (int perSecond : new int[] {3, 50, 400}) {
                VirtualTime time = new VirtualTime();
                StrategySpec bucket = TokenBucket.of(perSecond, SECOND).withCapacity(2);
                ManagedLimiter limiter = limiter(new WarmUp(bucket, TEN, 20, curve, null), time);
                double expected = 2;
                long granted = 0;
                long late = 0;
                for (long at = 0; at < 20_000; at++) {
                    if (limiter.tryAcquire() instanceof Permit) {
                        granted++;
                        late += at >= 11_000 ? 1 : 0;
                    }
                    assertTrue(granted <= expected + 1.5 + 0.02 * expected, curve + " too fast at " + at);
                    expected += Math.ceil(perSecond * curve.fraction(0.2, Math.min(1, at / 10_000.0))) / 1000;
                    time.advance(MILLI);
                }
                // Steps come late by a 256th of the period at most, 40 ms of the full rate.
                double least = expected * 0.98 - 2 - 0.04 * perSecond;
                assertTrue(granted >= least, curve + " at " + perSecond + ": " + granted + " of " + expected);
                assertTrue(late >= perSecond * 9 * 0.99 - 1, curve + " warm: " + late);
                assertTrue(granted > 0);
            }
        }
    }

    /** One a second, as 60 a minute: from 1 a minute on, where others admit nothing at all. */
    @Test
    void W_theSmallestRateStillAdmitsWhenColdAndAskingWhenToldIsEnough() {
        VirtualTime time = new VirtualTime();
        StrategySpec bucket = new TokenBucket(60, Duration.ofMinutes(1), 1, 0, TokenBucket.Refill.GREEDY);
        ManagedLimiter limiter = limiter(new WarmUp(bucket, TEN, 1, Curve.GUAVA, null), time);
        long start = time.read();
        long asked = 0;
        while (limiter.tryAcquire() instanceof Rejection rejection) {
            assertEquals(Reason.RATE, rejection.reason());
            time.advance(rejection.retryAfterNanos());
            asked++;
        }
        assertTrue(time.read() - start <= Duration.ofSeconds(12).toNanos(), "at 1 a minute it would take 60 s");
        assertTrue(asked < 20, asked + " questions");
    }

    @Test
    void W_aBatchIsNeverStarved() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter rate = limiter(new WarmUp(TokenBucket.of(10, SECOND), TEN, 1, Curve.EXPONENTIAL, null), time);
        assertInstanceOf(Permit.class, rate.tryAcquire(10), "a rate's capacity is there from the start");
        ManagedLimiter concurrency = limiter(new WarmUp(new Semaphore(100), TEN, 10, Curve.LINEAR, null), time);
        Rejection cold = assertInstanceOf(Rejection.class, concurrency.tryAcquire(55));
        assertEquals(Reason.CONCURRENCY, cold.reason());
        assertEquals(10, cold.limit());
        // 10 + 90 * 126/256 = 54.3, rounded up 55: at the 126th step, each 10 s / 256.
        assertEquals(4_921_875_000L, cold.retryAfterNanos());
        assertEquals(
                Reason.NEVER,
                assertInstanceOf(Rejection.class, concurrency.tryAcquire(101)).reason());
        time.advance(cold.retryAfterNanos() - 1);
        assertInstanceOf(Rejection.class, concurrency.tryAcquire(55));
        time.advance(1);
        assertInstanceOf(Permit.class, concurrency.tryAcquire(55));
        ManagedLimiter plain = limiter(new WarmUp(new Counter(100), TEN, 10, Curve.LINEAR, null), time);
        assertEquals(
                Reason.NEVER,
                assertInstanceOf(Rejection.class, plain.tryAcquire(2)).reason());
        StrategySpec shedding = PriorityShedding.of(100, 50);
        ManagedLimiter low = limiter(new WarmUp(shedding, TEN, 10, Curve.LINEAR, null), time);
        Request tooMuch = new Request(51, 1, null, Request.NO_DEADLINE);
        Request fits = new Request(50, 1, null, Request.NO_DEADLINE);
        assertEquals(
                Reason.NEVER,
                assertInstanceOf(Rejection.class, low.tryAcquire(tooMuch)).reason());
        assertTrue(waitsUntilGranted(low, fits, time) <= TEN.toNanos());
    }

    @Test
    void W_aBatchAsLargeAsTheWindowIsGrantedWhenTheRampLetsItIn() {
        for (StrategySpec window :
                List.of(FixedWindow.of(100, SECOND), SlidingWindow.of(100, SECOND), SlidingLog.of(100, SECOND))) {
            VirtualTime time = new VirtualTime();
            ManagedLimiter limiter = limiter(new WarmUp(window, TEN, 10, Curve.EXPONENTIAL, null), time);
            long waited = 0;
            while (limiter.tryAcquire(100) instanceof Rejection rejection) {
                assertEquals(Reason.RATE, rejection.reason());
                waited += rejection.retryAfterNanos();
                time.advance(rejection.retryAfterNanos());
            }
            assertTrue(waited > 0 && waited <= TEN.plus(SECOND).toNanos(), window + " waited " + waited);
            assertEquals(
                    Reason.NEVER,
                    assertInstanceOf(Rejection.class, limiter.tryAcquire(101)).reason());
        }
    }

    /** A waiter that asks again only when told to, while nothing is released. */
    @Test
    void S3_whoeverTheRampWillLetInIsToldWhen() {
        for (StrategySpec target : List.of(
                new Semaphore(10),
                PriorityShedding.of(10, 0),
                new Partitioned(10, Map.of("a", 50), 50),
                AllOf.of(new Semaphore(10), new Semaphore(20)))) {
            VirtualTime time = new VirtualTime();
            ManagedLimiter limiter = limiter(new WarmUp(target, TEN, 10, Curve.GUAVA, null), time);
            for (int i = 0; i < 7; i++) {
                waitsUntilGranted(limiter, Request.ONE, time);
            }
            assertEquals(7, limiter.snapshot().inFlight());
            assertTrue(time.read() <= TEN.toNanos() + 1);
        }
        VirtualTime time = new VirtualTime();
        ManagedLimiter full = limiter(new WarmUp(new Semaphore(1), TEN, 10, Curve.GUAVA, null), time);
        assertInstanceOf(Permit.class, full.tryAcquire());
        assertEquals(0, ((Rejection) full.tryAcquire()).retryAfterNanos(), "here only a release helps");
    }

    /** While one is being refused, another takes the last step; nobody will wake the first one. */
    @Test
    void S3_aRefusalByALimitNoLongerInForceIsAskedAgain() {
        VirtualTime time = new VirtualTime();
        Strategy[] warming = new Strategy[1];
        AtomicBoolean raced = new AtomicBoolean();
        Runnable meanwhile = () -> {
            if (!raced.getAndSet(true)) {
                time.advance(TEN);
                assertEquals(Strategy.NEVER, warming[0].acquire(Request.of(3)));
            }
        };
        warming[0] = new WarmUp(new Interrupted(new Semaphore(2), meanwhile), TEN, 50, Curve.LINEAR, null).create(time);
        raced.set(true);
        assertEquals(Strategy.GRANTED, warming[0].acquire(Request.ONE)); // 1 of 1
        raced.set(false);
        assertEquals(Strategy.GRANTED, warming[0].acquire(Request.ONE)); // refused by 1, granted by 2
        assertEquals(2, warming[0].inFlight());
    }

    /** Does something between the answer and its being heard. */
    private record Interrupted(StrategySpec target, Runnable meanwhile) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            Strategy inner = target.create(ticker);
            return new Strategy() {
                @Override
                public long acquire(Request request) {
                    long answer = inner.acquire(request);
                    meanwhile.run();
                    return answer;
                }

                @Override
                public void release(Request request, Outcome outcome) {
                    inner.release(request, outcome);
                }

                @Override
                public long limit() {
                    return inner.limit();
                }

                @Override
                public void setLimit(long limit) {
                    inner.setLimit(limit);
                }

                @Override
                public long inFlight() {
                    return inner.inFlight();
                }
            };
        }
    }

    private static long waitsUntilGranted(ManagedLimiter limiter, Request request, VirtualTime time) {
        long start = time.read();
        while (limiter.tryAcquire(request) instanceof Rejection rejection) {
            assertTrue(rejection.retryAfterNanos() > 0, () -> rejection + " at " + (time.read() - start));
            assertEquals(true, rejection.reason() == Reason.CONCURRENCY || rejection.reason() == Reason.SHED);
            time.advance(rejection.retryAfterNanos());
        }
        return time.read() - start;
    }

    @Test
    void W5_reconfigurationNeitherColdensNorFreezesNorOpens() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(warm(100, TEN, Curve.LINEAR), time);
        for (int i = 0; i < 1_000; i++) {
            long before = limiter.snapshot().limit();
            Duration period = i % 3 == 0 ? TEN : TEN.multipliedBy(2);
            limiter.reconfigure(warm(100, period, i % 2 == 0 ? Curve.LINEAR : Curve.EXPONENTIAL));
            limiter.reconfigure(warm(100, TEN, Curve.LINEAR));
            time.advance(5 * MILLI);
            limiter.tryAcquire(Long.MAX_VALUE);
            long after = limiter.snapshot().limit();
            assertTrue(after >= before && after <= before + 1, before + " -> " + after);
        }
        assertEquals(55, limiter.snapshot().limit(), 1.0); // half of the way from 10 to 100 after 5 of 10 s
        limiter.reconfigure(warm(200, TEN, Curve.LINEAR));
        assertEquals(110, limiter.snapshot().limit(), 2.0);
        time.advance(Duration.ofSeconds(5));
        limiter.tryAcquire(Long.MAX_VALUE);
        assertEquals(200, limiter.snapshot().limit());
        limiter.reconfigure(warm(50, TEN.multipliedBy(9), Curve.GUAVA));
        assertEquals(50, limiter.snapshot().limit(), "warm stays warm");
    }

    @Test
    void W5_aStormOfReconfigurationsMintsNoTokens() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(new WarmUp(TokenBucket.of(10, SECOND), TEN, 10, Curve.LINEAR, null), time);
        List<Grant> grants = new ArrayList<>();
        for (int i = 0; i < 30_000; i++) {
            limiter.reconfigure(
                    new WarmUp(TokenBucket.of(10 + i % 2, SECOND), TEN.plusMillis(i % 3), 10, Curve.LINEAR, null));
            if (limiter.tryAcquire() instanceof Permit) {
                grants.add(new Grant(time.read(), 1));
            }
            time.advance(MILLI);
        }
        Oracle.assertWindow(grants, SECOND.toNanos(), 11 + 11);
        long early =
                grants.stream().filter(grant -> grant.at() < SECOND.toNanos()).count();
        assertTrue(early <= 11 + 3, early + " in the first second: 10 stored, and less than 2 of a cold rate");
        assertTrue(grants.size() > 200, grants.size() + " in 30 s");
    }

    @Test
    void W1_wrappingWhatRunsStaysWarmAndUnwrappingHandsOn() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(new Semaphore(10), time);
        Permit out = assertInstanceOf(Permit.class, limiter.tryAcquire(6));
        limiter.reconfigure(warm(20, TEN, Curve.LINEAR));
        assertEquals(20, limiter.snapshot().limit());
        assertEquals(6, limiter.snapshot().inFlight());
        limiter.reconfigure(new Counter(7));
        assertEquals(6, limiter.snapshot().inFlight());
        out.close();
        Oracle.assertCapacity(7, limiter);
        VirtualTime other = new VirtualTime();
        ManagedLimiter cold = limiter(warm(100, TEN, Curve.LINEAR), other);
        assertInstanceOf(Permit.class, cold.tryAcquire(10));
        cold.reconfigure(new WarmUp(PriorityShedding.of(100, 50), TEN, 10, Curve.LINEAR, null));
        assertEquals(10, cold.snapshot().limit(), "another target, the same ramp");
        assertEquals(10, cold.snapshot().inFlight());
        cold.reconfigure(new Semaphore(90));
        assertEquals(90, cold.snapshot().limit());
        assertEquals(10, cold.snapshot().inFlight());
    }

    @Test
    void W6_theDebtOfAColdRateIsTakenOverInTokens() {
        VirtualTime time = new VirtualTime();
        StrategySpec bucket = TokenBucket.of(100, SECOND);
        ManagedLimiter limiter = limiter(new WarmUp(bucket, TEN, 10, Curve.LINEAR, null), time);
        assertInstanceOf(Permit.class, limiter.tryAcquire(60)); // 40 of 100 left; 6 s of the cold rate missing
        limiter.reconfigure(new OtherKind(TokenBucket.of(100, SECOND)));
        assertInstanceOf(Permit.class, limiter.tryAcquire(40));
        assertInstanceOf(Rejection.class, limiter.tryAcquire(1));
    }

    /** A rate of another kind, which takes debts over as time. */
    private record OtherKind(StrategySpec target) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            return target.create(ticker);
        }
    }

    @Test
    void itCoolsOnlyByIdlenessAndOnlyIfAsked() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter keeps = limiter(new WarmUp(new Semaphore(100), TEN, 10, Curve.LINEAR, null), time);
        ManagedLimiter cools = limiter(new WarmUp(new Semaphore(100), TEN, 10, Curve.LINEAR, SECOND), time);
        warmUp(keeps, time, 10_000);
        warmUp(cools, time, 10_000);
        time.advance(Duration.ofDays(1));
        assertEquals(100, limit(keeps));
        assertEquals(10, limit(cools));
        warmUp(cools, time, 10_000);
        Permit slow = assertInstanceOf(Permit.class, cools.tryAcquire(50));
        time.advance(Duration.ofDays(1));
        assertEquals(100, limit(cools), "work in flight is not idleness");
        time.advance(Duration.ofDays(1));
        slow.close();
        time.advance(SECOND.minusNanos(1));
        assertEquals(100, limit(cools), "a nanosecond too soon");
        time.advance(SECOND);
        assertEquals(10, limit(cools));
        assertEquals(10L, cools.snapshot().details().get("warmUp.percent"));
        warmUp(cools, time, 5_000);
        assertEquals(55, limit(cools), 1.0);
    }

    private static void warmUp(ManagedLimiter limiter, VirtualTime time, long millis) {
        for (long i = 0; i < millis; i += 100) {
            limit(limiter);
            time.advance(100 * MILLI);
        }
        limit(limiter);
    }

    private static long limit(ManagedLimiter limiter) {
        if (limiter.tryAcquire() instanceof Permit permit) {
            permit.close();
        }
        return limiter.snapshot().limit();
    }

    @Test
    void theDialTurnsTheFullLimitAlsoToTheMomentaryOne() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(warm(100, TEN, Curve.LINEAR), time);
        assertEquals(10, limiter.dial().limit());
        limiter.dial().setLimit(10);
        assertEquals(1, limiter.dial().limit());
        time.advance(TEN);
        assertEquals(10, limit(limiter));
        limiter.dial().setLimit(30);
        assertEquals(30, limit(limiter));
        ManagedLimiter cold = limiter(warm(100, TEN, Curve.LINEAR), time);
        assertThrows(IllegalArgumentException.class, () -> cold.dial().setLimit(1L << 40), "at once, not when warm");
        time.advance(TEN);
        assertEquals(100, limit(cold));
    }

    @Test
    void anAdjustmentOfTheTargetAloneIsInPlace() {
        VirtualTime time = new VirtualTime();
        Strategy running = warm(100, TEN, Curve.LINEAR).create(time);
        assertSame(running, Traffic.changed(warm(100, TEN, Curve.LINEAR), running, warm(50, TEN, Curve.LINEAR), time));
        assertEquals(5, running.limit());
        assertEquals(50, running.target());
    }

    /** A thread that was about to take a step sets no limit after what is inside was handed on. */
    @Test
    void W1_W3_noStepIsTakenAfterTheHandOver() throws Exception {
        for (int round = 0; round < 300; round++) {
            VirtualTime time = new VirtualTime();
            ManagedLimiter limiter = limiter(warm(1000, TEN, Curve.LINEAR), time);
            AtomicBoolean done = new AtomicBoolean();
            Thread asking = new Thread(() -> {
                while (!done.get()) {
                    time.advance(10 * MILLI);
                    limit(limiter);
                }
            });
            asking.start();
            limiter.reconfigure(warm(500, TEN.multipliedBy(2), Curve.GUAVA));
            limiter.reconfigure(new Semaphore(7));
            done.set(true);
            asking.join();
            assertEquals(7, limiter.snapshot().limit());
            assertEquals(0, limiter.snapshot().inFlight());
        }
    }

    private static WarmUp warm(long limit, Duration period, Curve curve) {
        return new WarmUp(new Semaphore(limit), period, 10, curve, null);
    }

    private static ManagedLimiter limiter(StrategySpec spec, VirtualTime time) {
        return Limiters.builder("warming", spec).ticker(time).build();
    }
}
