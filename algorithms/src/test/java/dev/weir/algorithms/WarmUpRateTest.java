package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Account;
import dev.weir.spi.RampCurve;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rates that warm up: worked by hand, and compared with a slow model. */
@Tag("property")
class WarmUpRateTest extends StrategyContract {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration TEN = Duration.ofSeconds(10);
    private static final long MILLI = 1_000_000;

    @Override
    protected StrategySpec spec(long limit) {
        return new WarmUp(TokenBucket.of(limit, SECOND), TEN, 100, RampCurve.GUAVA, null);
    }

    @Override
    protected long maxWithin(long windowNanos, long limit) {
        return limit + windowNanos * limit / 1_000_000_000L;
    }

    @Test
    void aColdBucketGrantsItsColdCapacityAndNoMore() {
        // 100 per second and a capacity of 100, from 10 %: cold 10 per second and a capacity of 10.
        Traffic traffic = new Traffic(linear(TokenBucket.of(100, SECOND)));
        assertEquals(10, traffic.strategy.limit());
        assertEquals(10, traffic.take(1_000));
        assertEquals(10, traffic.used());
        assertEquals(new Account(10, SECOND.toNanos(), 10, 10), traffic.strategy.account());
        // Step 0 lasts 10 s / 256 = 39.0625 ms and refills 0.390625. Step 1 is 10.35, rounded up 11 a second, and its
        // capacity 11: 1 permit at once.
        assertEquals(39_062_500, traffic.waitFor(1));
        traffic.time.advance(39_062_500);
        assertEquals(1, traffic.take(1_000));
        assertEquals(11, traffic.strategy.limit());
    }

    @Test
    void aRequestAboveTheColdCapacityHasAHintToTheStepThatGrantsIt() {
        Traffic traffic = new Traffic(linear(TokenBucket.of(100, SECOND)));
        // 10 + 90 s/256 > 54, rounded up 55, at step 126 (54.3): 126 * 39.0625 ms.
        assertEquals(4_921_875_000L, traffic.waitFor(55));
        assertEquals(Strategy.NEVER, traffic.waitFor(101));
        traffic.time.advance(4_921_875_000L - 1);
        assertTrue(traffic.waitFor(55) > 0);
        traffic.time.advance(1);
        assertTrue(traffic.ask(55));
    }

    @Test
    void aWaitOverManyStepsIsExact() {
        Seed.forAll(300, random -> {
            StrategySpec rate = Seed.oneOf(
                    random,
                    TokenBucket.of(random.nextLong(1, 50), SECOND).withCapacity(random.nextLong(1, 50)),
                    LeakyBucket.of(random.nextLong(1, 50), SECOND),
                    Gcra.of(random.nextLong(1, 50), SECOND));
            long period = random.nextLong(1, 30_000_000_000L);
            RampCurve curve = Seed.oneOf(random, RampCurve.values());
            Traffic traffic = new Traffic(
                    new WarmUp(rate, Duration.ofNanos(period), random.nextInt(1, 101), curve, null), random.nextLong());
            long max = rate.create(traffic.time).account().burst();
            for (int i = 0; i < 20; i++) {
                traffic.askExactly(random.nextLong(1, max + 1));
                traffic.time.advance(random.nextLong(period / 10 + 1));
            }
        });
    }

    /** Both must grant: the bucket by the full limit, and a bucket that is computed nanosecond by nanosecond. */
    @Test
    void grantsAsTheSlowModelWhileColdAndNeverMoreThanTheIntegral() {
        Seed.forAll(200, random -> {
            long full = random.nextLong(1, 60);
            long capacity = random.nextLong(1, 60);
            long unit = random.nextLong(20, 400);
            long period = random.nextLong(1, 6_000);
            int floor = random.nextInt(1, 101);
            RampCurve curve = Seed.oneOf(random, RampCurve.values());
            StrategySpec bucket = TokenBucket.of(full, Duration.ofNanos(unit)).withCapacity(capacity);
            VirtualTime time = new VirtualTime(Seed.oneOf(random, 0L, Long.MAX_VALUE - 5, Long.MIN_VALUE));
            Strategy strategy = new WarmUp(bucket, Duration.ofNanos(period), floor, curve, null).create(time);
            Strategy inner = bucket.create(time);
            Model model = new Model(full, capacity, unit, period, floor / 100.0, curve);
            double surplus = 0;
            while (model.now < period + 2_000) {
                long permits = random.nextInt(3) == 0 ? random.nextLong(1, capacity + 1) : 1;
                boolean fits = model.hasRoom(permits) && inner.acquire(Request.of(permits)) == Strategy.GRANTED;
                boolean granted = strategy.acquire(Request.of(permits)) == Strategy.GRANTED;
                assertEquals(fits, granted, () -> permits + " at " + model.now + " of " + period);
                if (granted) {
                    model.missing += permits * unit;
                    surplus += permits;
                    assertTrue(surplus <= capacity + 1e-6, surplus + " above the integral, burst " + capacity);
                }
                long pause = random.nextBoolean() ? 0 : random.nextLong(2 * unit);
                time.advance(pause);
                surplus = Math.max(0, surplus - model.pass(pause));
            }
            assertEquals(full, strategy.limit());
        });
    }

    /** Time passes by single nanoseconds; the debt is in units of 1/period permits. */
    private static final class Model {
        private final long full;
        private final long capacity;
        private final long unit;
        private final long period;
        private final double floor;
        private final RampCurve curve;
        long now;
        long missing;

        Model(long full, long capacity, long unit, long period, double floor, RampCurve curve) {
            this.full = full;
            this.capacity = capacity;
            this.unit = unit;
            this.period = period;
            this.floor = floor;
            this.curve = curve;
        }

        private long at(long max) {
            long step = now >= period ? 256 : now / ((period + 255) / 256);
            double share = step == 256 ? 1 : Math.max(floor, curve.share(floor, step / 256.0));
            return Math.max(1, (long) Math.ceil(max * (share - 1e-8)));
        }

        boolean hasRoom(long permits) {
            return Math.max(0, missing) + permits * unit <= at(capacity) * unit;
        }

        /** The permits that refilled meanwhile. */
        double pass(long nanos) {
            double refilled = 0;
            for (long i = 0; i < nanos; i++) {
                missing = Math.max(0, missing - at(full));
                refilled += (double) at(full) / unit;
                now++;
            }
            return refilled;
        }
    }

    @Test
    void aSaturatedRateFollowsTheCurveAndReachesNinetyNinePerCentInTime() {
        for (RampCurve curve : RampCurve.values()) {
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
                    double share = Math.max(0.2, curve.share(0.2, Math.min(1, at / 10_000.0)));
                    expected += Math.ceil(perSecond * share) / 1000;
                    time.advance(MILLI);
                }
                // Steps come late by a 256th of the period at most, 40 ms of the full rate.
                double min = expected * 0.98 - 2 - 0.04 * perSecond;
                assertTrue(granted >= min, curve + " at " + perSecond + ": " + granted + " of " + expected);
                assertTrue(late >= perSecond * 9 * 0.99 - 1, curve + " warm: " + late);
            }
        }
    }

    /** One per second, given as 60 per minute: it starts from 1 per minute. */
    @Test
    void theSmallestRateGrantsWhileColdAndItsHintsSuffice() {
        VirtualTime time = new VirtualTime();
        StrategySpec bucket = new TokenBucket(60, Duration.ofMinutes(1), 1, 0, TokenBucket.Refill.GREEDY);
        ManagedLimiter limiter = limiter(new WarmUp(bucket, TEN, 1, RampCurve.GUAVA, null), time);
        Rejection rejection = assertInstanceOf(Rejection.class, limiter.tryAcquire());
        assertEquals(Reason.RATE, rejection.reason());
        assertEquals(1, rejection.limit());
        assertTrue(rejection.retryAfterNanos() <= Duration.ofSeconds(12).toNanos(), "at 1 a minute it would take 60 s");
        time.advance(rejection.retryAfterNanos());
        assertInstanceOf(Permit.class, limiter.tryAcquire());
    }

    @Test
    void aBatchAsLargeAsTheWindowIsGrantedWhenTheRampAllowsIt() {
        for (StrategySpec window :
                List.of(FixedWindow.of(100, SECOND), SlidingWindow.of(100, SECOND), SlidingLog.of(100, SECOND))) {
            VirtualTime time = new VirtualTime();
            ManagedLimiter limiter = limiter(new WarmUp(window, TEN, 10, RampCurve.EXPONENTIAL, null), time);
            Rejection rejection = assertInstanceOf(Rejection.class, limiter.tryAcquire(100));
            assertEquals(Reason.RATE, rejection.reason());
            assertTrue(rejection.retryAfterNanos() <= TEN.toNanos(), window + ": " + rejection);
            time.advance(rejection.retryAfterNanos());
            assertInstanceOf(Permit.class, limiter.tryAcquire(100), window::toString);
            assertEquals(
                    Reason.NEVER,
                    assertInstanceOf(Rejection.class, limiter.tryAcquire(101)).reason());
        }
    }

    /** Time passes by single nanoseconds, at the limit that is told. */
    @Test
    void W5_neverMoreThanABurstAndTheIntegralHoweverOftenItBecomesCold() {
        Seed.forAll(200, random -> {
            long full = random.nextLong(1, 60);
            long capacity = random.nextLong(1, 60);
            long unit = random.nextLong(20, 400);
            StrategySpec bucket = TokenBucket.of(full, Duration.ofNanos(unit)).withCapacity(capacity);
            Duration period = Duration.ofNanos(random.nextLong(1, 6_000));
            Duration cool = Duration.ofNanos(random.nextLong(1, 600));
            RampCurve curve = Seed.oneOf(random, RampCurve.values());
            VirtualTime time = new VirtualTime(Seed.oneOf(random, 0L, Long.MAX_VALUE - 5, Long.MIN_VALUE));
            Strategy strategy = new WarmUp(bucket, period, random.nextInt(1, 101), curve, cool).create(time);
            double surplus = 0;
            for (int step = 0; step < 150; step++) {
                long permits = random.nextInt(3) == 0 ? random.nextLong(1, capacity + 1) : 1;
                if (strategy.acquire(Request.of(permits)) == Strategy.GRANTED) {
                    surplus += permits;
                    assertTrue(surplus <= capacity + 1e-6, surplus + " above the integral, burst " + capacity);
                }
                for (long pause = random.nextInt(3) == 0 ? random.nextLong(800) : random.nextLong(40);
                        pause > 0;
                        pause--) {
                    surplus = Math.max(0, surplus - (double) strategy.limit() / unit);
                    time.advance(1);
                }
            }
        });
    }

    /** Each request comes after the ramp has become cold again, and after less than a permit refills at the floor. */
    @Test
    void W5_requestsThatComeOneByOneAfterIdlenessAreGranted() {
        Duration minute = Duration.ofMinutes(1);
        for (Duration period : List.of(minute, Duration.ofHours(2))) {
            VirtualTime time = new VirtualTime();
            TokenBucket bucket = TokenBucket.of(10, Duration.ofMinutes(10));
            WarmUp warmUp = new WarmUp(bucket, period, 10, RampCurve.LINEAR, Duration.ofMinutes(5));
            ManagedLimiter limiter = limiter(warmUp, time);
            time.advance(minute);
            assertInstanceOf(Permit.class, limiter.tryAcquire());
            time.advance(minute);
            for (long permits : new long[] {10, 9, 1}) {
                assertNotNull(limiter.tryAcquire(permits));
            }
            int granted = 0;
            for (int i = 0; i < 100; i++) {
                time.advance(Duration.ofMinutes(6));
                granted += limiter.tryAcquire() instanceof Permit ? 1 : 0;
            }
            assertTrue(granted >= 45, granted + " of 100 granted, of which the floor alone refills 60, by " + period);
        }
    }

    @Test
    void W5_aDebtIsPaidWhileEachRequestFindsItCold() {
        VirtualTime time = new VirtualTime();
        Duration minute = Duration.ofMinutes(1);
        ManagedLimiter limiter = limiter(TokenBucket.of(3_600, Duration.ofHours(1)), time);
        assertInstanceOf(Permit.class, limiter.tryAcquire(3_600));
        TokenBucket bucket = TokenBucket.of(60, minute).withCapacity(10);
        limiter.reconfigure(new WarmUp(bucket, minute, 10, RampCurve.LINEAR, minute));
        int granted = 0;
        for (int i = 0; i < 34; i++) {
            time.advance(minute.multipliedBy(2));
            granted += limiter.tryAcquire() instanceof Permit ? 1 : 0;
        }
        assertTrue(granted >= 30, granted + " of 34 granted");
    }

    /** The ramp refuses 90 of 100 for a while; they are not granted at once when it ends. */
    @Test
    void W5_whatTheRampRefusedIsNotGrantedAtOnceWhenItIsWarm() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(linear(TokenBucket.of(100, SECOND)), time);
        long granted = 0;
        for (int i = 0; i < 12_000; i++) {
            granted += take(limiter);
            time.advance(MILLI);
        }
        // 100 of the capacity, 0.1 to 1 over ten seconds 550, two seconds more 200, and limits rounded up.
        assertTrue(granted <= 100 + 550 + 200 + 10, granted + " granted");
        assertTrue(granted >= 800, granted + " granted");
        time.advance(SECOND);
        assertEquals(100, take(limiter));
    }

    @Test
    void onceWarmAndRefilledOnlyTheRateDecides() {
        VirtualTime time = new VirtualTime();
        Strategy warm = linear(TokenBucket.of(100, SECOND)).create(time);
        warm.acquire(Request.of(10));
        time.advance(TEN);
        assertEquals(Strategy.GRANTED, warm.acquire(Request.of(100)));
        assertEquals(10 * MILLI, warm.acquire(Request.ONE));
        assertEquals(100, Traffic.used(warm));
        assertEquals(new Account(100, SECOND.toNanos(), 100, 100), warm.account());
    }

    @Test
    void aCancelledGrantIsRefundedByBoth() {
        VirtualTime time = new VirtualTime();
        StrategySpec bucket = TokenBucket.of(100, SECOND);
        Strategy cold = linear(bucket).create(time);
        assertEquals(Strategy.GRANTED, cold.acquire(Request.of(10)));
        long before = time.read();
        assertTrue(cold.acquire(Request.of(10)) > 0);
        cold.release(Request.of(10), Outcome.CANCELLED);
        cold.refund(Request.of(10), before);
        assertEquals(0, Traffic.used(cold));
        assertEquals(Strategy.GRANTED, cold.acquire(Request.of(10)));
        assertTrue(cold.acquire(Request.ONE) > 0);
    }

    @Test
    void theDialSetsTheFullLimitAlsoWhileCold() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(linear(TokenBucket.of(100, SECOND)), time);
        assertEquals(10, limiter.dial().limit());
        limiter.dial().setLimit(1000);
        assertEquals(100, limiter.dial().limit());
        assertEquals(10, take(limiter), "the capacity stays as it is");
        time.advance(10 * MILLI);
        assertEquals(1, take(limiter), "100 a second");
        time.advance(TEN);
        assertEquals(1000, limiter.snapshot().limit());
    }

    @Test
    void aClockThatRunsBackLosesNoStepAndAddsNothing() {
        Seed.forAll(100, random -> {
            VirtualTime time = new VirtualTime();
            ManagedLimiter limiter = limiter(linear(TokenBucket.of(100, SECOND)), time);
            long limit = 10;
            for (int i = 0; i < 300; i++) {
                if (random.nextInt(5) == 0) {
                    time.jumpTo(time.read() - random.nextLong(2 * TEN.toNanos()));
                    assertTrue(take(limiter) <= 100);
                    assertEquals(0, take(limiter));
                } else {
                    time.advance(random.nextLong(100 * MILLI));
                    take(limiter);
                }
                assertTrue(limiter.snapshot().limit() >= limit, limiter.snapshot() + " after " + limit);
                limit = limiter.snapshot().limit();
            }
            time.advance(TEN);
            take(limiter);
            assertEquals(100, limiter.snapshot().limit());
        });
    }

    @Test
    void itCoolsByIdlenessAndKeepsWhatWasUsed() {
        VirtualTime time = new VirtualTime();
        StrategySpec hourly = TokenBucket.of(100, Duration.ofHours(1));
        ManagedLimiter limiter = limiter(new WarmUp(hourly, TEN, 10, RampCurve.LINEAR, SECOND), time);
        for (int i = 0; i < 200; i++) {
            limiter.tryAcquire(101); // never, but not idle
            time.advance(100 * MILLI);
        }
        assertEquals(100, limiter.snapshot().limit());
        assertEquals(60, limiter.tryAcquire(60) instanceof Permit ? 60 : 0);
        time.advance(SECOND);
        assertInstanceOf(Rejection.class, limiter.tryAcquire(60));
        assertEquals(10, limiter.snapshot().limit());
        long max = take(limiter);
        assertTrue(max <= 40, max + " of the 40 that were left");
    }

    /** Its figures are one permit per interval, whatever the limit; the ramp changes the interval. */
    @Test
    void aPacerIsColdByItsInterval() {
        Traffic traffic = new Traffic(linear(Pacer.of(100, SECOND)));
        assertTrue(traffic.ask());
        // Intervals of 100 ms, then 90.909091 ms, rounded up, at 11 per second: 39.0625 ms are 0.390625 permits, as
        // long
        // again 0.4296875, and the other 0.1796875 take 16.335227 ms.
        assertEquals(94_460_227.5, traffic.waitFor(1), 1.0);
        Account flow = traffic.strategy.account();
        assertEquals(100 * MILLI, flow.period() / flow.permits());
        assertEquals(1, flow.burst());
    }

    @Test
    void W5_aLowerLimitAndAnotherIdlenessLeaveNoLargerBurst() {
        VirtualTime time = new VirtualTime();
        StrategySpec window = SlidingWindow.of(100, SECOND);
        ManagedLimiter limiter = limiter(new WarmUp(window, TEN, 10, RampCurve.LINEAR, SECOND), time);
        assertEquals(10, take(limiter));
        limiter.dial().setLimit(20);
        assertEquals(0, take(limiter));
        time.advance(TEN);
        assertEquals(2, take(limiter), "10 % of 20");
        time.advance(900 * MILLI);
        take(limiter);
        time.advance(TEN);
        assertEquals(2, take(limiter), "cold again from within the ramp");
    }

    @Test
    void W5_reloadsBackAndForthLoseNothing() {
        for (StrategySpec rate : List.of(
                new FirstHitQuota(10, SECOND),
                FixedWindow.of(10, SECOND),
                SlidingLog.of(10, SECOND),
                TokenBucket.of(10, SECOND),
                Pacer.of(10, SECOND))) {
            assertTrue(granted(rate, 7) <= 10 + 200, rate::toString);
            // A change may lose the fraction of a permit that has refilled, and has done so 20 times.
            long granted = granted(rate, 1_000);
            assertTrue(granted >= 200 - 10 - 20, rate + " granted " + granted + " in 20 s");
        }
    }

    private static long granted(StrategySpec rate, int everyMillis) {
        VirtualTime time = new VirtualTime();
        StrategySpec warming = linear(rate);
        ManagedLimiter limiter = limiter(rate, time);
        List<Grant> grants = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            if (limiter.tryAcquire() instanceof Permit) {
                grants.add(new Grant(time.read(), 1));
            }
            if (i % everyMillis == 0) {
                limiter.reconfigure(limiter.spec().equals(rate) ? warming : rate);
            }
            time.advance(MILLI);
        }
        Oracle.assertWindow(grants, SECOND.toNanos(), 19 + 10);
        return grants.size();
    }

    @Test
    void W5_manyReconfigurationsAddNoTokens() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(linear(TokenBucket.of(10, SECOND)), time);
        List<Grant> grants = new ArrayList<>();
        for (int i = 0; i < 30_000; i++) {
            limiter.reconfigure(
                    new WarmUp(TokenBucket.of(10 + i % 2, SECOND), TEN.plusMillis(i % 3), 10, RampCurve.LINEAR, null));
            if (limiter.tryAcquire() instanceof Permit) {
                grants.add(new Grant(time.read(), 1));
            }
            time.advance(MILLI);
        }
        Oracle.assertWindow(grants, SECOND.toNanos(), 11 + 11);
        long early = grants.stream()
                .filter(grant -> grant.at() - 1 < SECOND.toNanos())
                .count();
        assertTrue(early <= 5, early + " in the first second: 2 of a cold capacity that grows, and 2 of a cold rate");
        assertTrue(grants.size() > 200, grants.size() + " in 30 s");
    }

    @Test
    void W6_theDebtOfAColdRateIsCarriedInPermits() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(linear(TokenBucket.of(100, SECOND)), time);
        time.advance(Duration.ofSeconds(5));
        assertInstanceOf(Permit.class, limiter.tryAcquire(50));
        // By 56 per second at step 128 (55 %, rounded up) that is 0.9 s; by 100 per second 50 are left at once.
        limiter.reconfigure(FixedWindow.of(100, SECOND));
        assertInstanceOf(Permit.class, limiter.tryAcquire(50));
        assertInstanceOf(Rejection.class, limiter.tryAcquire(1));
        limiter.reconfigure(linear(SlidingLog.of(100, SECOND)));
        assertInstanceOf(Rejection.class, limiter.tryAcquire(1));
    }

    @Test
    void aChangeOfTheRampKeepsTheProgressAndIsInPlace() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(linear(TokenBucket.of(100, SECOND)), time);
        assertEquals(10, take(limiter));
        time.advance(Duration.ofSeconds(5));
        assertEquals(55, limiter.snapshot().limit());
        Adjusted dial = new Adjusted(limiter);
        limiter.reconfigure(new WarmUp(TokenBucket.of(100, SECOND), TEN.multipliedBy(2), 50, RampCurve.LINEAR, null));
        assertEquals(75, limiter.snapshot().limit());
        assertEquals(75, take(limiter), "and its capacity; what was used has refilled");
        assertEquals(false, dial.dial.stale());
        time.advance(TEN);
        assertEquals(100, limiter.snapshot().limit());
    }

    private record Adjusted(dev.weir.Adjustable dial) {
        Adjusted(ManagedLimiter limiter) {
            this(limiter.dial());
        }
    }

    @Test
    void W1_wrappingARateThatRunsStaysWarm() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(TokenBucket.of(100, SECOND), time);
        assertInstanceOf(Permit.class, limiter.tryAcquire(60));
        limiter.reconfigure(linear(TokenBucket.of(100, SECOND)));
        assertEquals(100, limiter.snapshot().limit());
        assertEquals(40, take(limiter));
        time.advance(100 * MILLI);
        assertEquals(10, take(limiter));
    }

    @Test
    void W1_anotherRateInTheSameWarmUpIsAsWarm() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(linear(TokenBucket.of(100, SECOND)), time);
        time.advance(Duration.ofSeconds(5));
        assertEquals(55, take(limiter));
        limiter.reconfigure(linear(SlidingLog.of(200, SECOND)));
        assertEquals(110, limiter.snapshot().limit());
        assertEquals(55, take(limiter), "110 by the capacity, less 55");
    }

    private static WarmUp linear(StrategySpec target) {
        return new WarmUp(target, TEN, 10, RampCurve.LINEAR, null);
    }

    private static long take(ManagedLimiter limiter) {
        long taken = 0;
        while (limiter.tryAcquire() instanceof Permit) {
            taken++;
        }
        return taken;
    }

    private static ManagedLimiter limiter(StrategySpec spec, VirtualTime time) {
        return Limiters.builder("warming", spec).ticker(time).build();
    }
}
