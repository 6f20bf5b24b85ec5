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
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.spi.RampCurve;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.InFlight;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.Seed;
import dev.weir.testkit.StrategyContract;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("property")
class WarmUpTest extends StrategyContract {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration TEN = Duration.ofSeconds(10);
    private static final long MILLI = 1_000_000;

    @Override
    protected StrategySpec spec(long limit) {
        return new WarmUp(new Semaphore(limit), TEN, 100, RampCurve.LINEAR, Duration.ofHours(1));
    }

    @Nested
    class OfSeveral extends StrategyContract {
        @Override
        protected StrategySpec spec(long limit) {
            return new WarmUp(AllOf.of(new Semaphore(limit), new Semaphore(1000)), TEN, 100, RampCurve.LINEAR, null);
        }
    }

    @Test
    void neverZeroNeverFallingAndFullAtThePeriod() {
        Seed.forAll(200, random -> {
            long full = Seed.oneOf(random, 1L, 2L, 7L, 1000L, (long) Integer.MAX_VALUE);
            long period = Seed.oneOf(random, 1L, 3L, 255L, 256L, 257L, 10_000_000_000L, 1L << 61);
            int floor = random.nextInt(1, 101);
            VirtualTime time = new VirtualTime(Seed.oneOf(random, 0L, -1L, Long.MAX_VALUE - 5, Long.MIN_VALUE));
            RampCurve curve = Seed.oneOf(random, RampCurve.values());
            PartStrategy strategy =
                    Parts.create(new WarmUp(new Semaphore(full), Duration.ofNanos(period), floor, curve, null), time);
            long last = Math.max(1, full * floor / 100 - (full >> 29)); // fractions have 30 bits
            long left = period;
            while (left > 0) {
                if (random.nextInt(50) == 0) {
                    time.jumpTo(time.read() - random.nextLong(period)); // runs back: no step is lost
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
    void whatRemainsIsThatOfTheStepThatIsDue() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(new WarmUp(new Semaphore(100), TEN, 10, RampCurve.LINEAR, null), time);
        assertEquals(10, limiter.remaining());
        time.advance(TEN.toNanos() / 2);
        assertEquals(55, limiter.remaining());
        time.advance(TEN.toNanos() / 2);
        assertEquals(100, limiter.remaining());
    }

    @Test
    void aBatchIsNeverStarved() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter concurrency = limiter(new WarmUp(new Semaphore(100), TEN, 10, RampCurve.LINEAR, null), time);
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
        ManagedLimiter plain = limiter(new WarmUp(new Counter(100), TEN, 10, RampCurve.LINEAR, null), time);
        assertEquals(
                Reason.NEVER,
                assertInstanceOf(Rejection.class, plain.tryAcquire(2)).reason());
        StrategySpec shedding = PriorityShedding.of(100, 50);
        ManagedLimiter low = limiter(new WarmUp(shedding, TEN, 10, RampCurve.LINEAR, null), time);
        Request tooMuch = new Request(51, 1, null, Request.NO_DEADLINE);
        Request fits = new Request(50, 1, null, Request.NO_DEADLINE);
        assertEquals(
                Reason.NEVER,
                assertInstanceOf(Rejection.class, low.tryAcquire(tooMuch)).reason());
        assertTrue(waitsUntilGranted(low, fits, time) <= TEN.toNanos());
    }

    /** A waiter that tries again only after the hinted wait, while nothing is released. */
    @Test
    void S3_aRequestThatTheRampWillGrantHasAHint() {
        for (StrategySpec target : List.of(
                new Semaphore(10),
                PriorityShedding.of(10, 0),
                new Partitioned(10, Map.of("a", 50), 50),
                AllOf.of(new Semaphore(10), new Semaphore(20)))) {
            VirtualTime time = new VirtualTime();
            ManagedLimiter limiter = limiter(new WarmUp(target, TEN, 10, RampCurve.GUAVA, null), time);
            for (int i = 0; i < 7; i++) {
                waitsUntilGranted(limiter, Request.ONE, time);
            }
            assertEquals(7, limiter.snapshot().inFlight());
            assertTrue(time.read() <= TEN.toNanos() + 1);
        }
        VirtualTime time = new VirtualTime();
        ManagedLimiter full = limiter(new WarmUp(new Semaphore(1), TEN, 10, RampCurve.GUAVA, null), time);
        assertInstanceOf(Permit.class, full.tryAcquire());
        assertEquals(0, ((Rejection) full.tryAcquire()).retryAfterNanos(), "here only a release helps");
    }

    /** The ramp ends while a request is being refused by a limit of the ramp; no release will wake it. */
    @Test
    void S3_aRejectionByAReplacedLimitHasAHintToRetry() {
        VirtualTime time = new VirtualTime();
        Slow slow = new Slow(new Semaphore(2), time);
        ManagedLimiter limiter = limiter(new WarmUp(slow, TEN, 50, RampCurve.LINEAR, null), time);
        assertInstanceOf(Permit.class, limiter.tryAcquire());
        slow.nanos.set(TEN.toNanos());
        Rejection refused = assertInstanceOf(Rejection.class, limiter.tryAcquire());
        assertEquals(1, refused.retryAfterNanos());
        slow.nanos.set(0);
        assertInstanceOf(Permit.class, limiter.tryAcquire());
    }

    /** Takes time to decide. */
    private record Slow(StrategySpec target, VirtualTime time, AtomicLong nanos) implements StrategySpec {
        Slow(StrategySpec target, VirtualTime time) {
            this(target, time, new AtomicLong());
        }

        @Override
        public Strategy create(Ticker ticker) {
            InFlight inner = (InFlight) target.create(ticker);
            return new Counting() {
                @Override
                public InFlight counter() {
                    return inner;
                }

                @Override
                public long acquire(Request request) {
                    long answer = inner.acquire(request);
                    time.advance(nanos.get());
                    return answer;
                }

                @Override
                public void release(Request request, Outcome outcome) {
                    inner.release(request, outcome);
                }
            };
        }
    }

    @Test
    void W2_theFullLimitIsNeverInForceDuringAChangeWhileCold() {
        List<Long> seen = new ArrayList<>();
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(warmed(new Heard(100, seen)), time);
        time.advance(Duration.ofSeconds(5));
        limiter.reconfigure(warmed(new Heard(200, seen)));
        assertEquals(List.of(110L), seen); // 10 % and half of the rest, of 200
        assertEquals(110, limiter.snapshot().limit());
    }

    /** Records the limits a running strategy was adjusted to. */
    private record Heard(long limit, List<Long> seen) implements Resizable {
        @Override
        public StrategySpec withLimit(long limit) {
            return new Heard(limit, seen);
        }

        @Override
        public Strategy create(Ticker ticker) {
            return new Semaphore(limit).create(ticker);
        }

        @Override
        public boolean adjust(Strategy running) {
            seen.add(limit);
            return new Semaphore(limit).adjust(running);
        }
    }

    private static WarmUp warmed(StrategySpec target) {
        return new WarmUp(target, TEN, 10, RampCurve.LINEAR, null);
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
    void W5_reconfigurationNeitherRestartsNorStopsNorSkipsTheRamp() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(warm(100, TEN, RampCurve.LINEAR), time);
        for (int i = 0; i < 1_000; i++) {
            long before = limiter.snapshot().limit();
            Duration period = i % 3 == 0 ? TEN : TEN.multipliedBy(2);
            limiter.reconfigure(warm(100, period, i % 2 == 0 ? RampCurve.LINEAR : RampCurve.EXPONENTIAL));
            limiter.reconfigure(warm(100, TEN, RampCurve.LINEAR));
            time.advance(5 * MILLI);
            limiter.tryAcquire(Long.MAX_VALUE);
            long after = limiter.snapshot().limit();
            assertTrue(after >= before && after <= before + 1, before + " -> " + after);
        }
        assertEquals(55, limiter.snapshot().limit(), 1.0); // half of the way from 10 to 100 after 5 of 10 s
        limiter.reconfigure(warm(200, TEN, RampCurve.LINEAR));
        assertEquals(110, limiter.snapshot().limit(), 2.0);
        time.advance(Duration.ofSeconds(5));
        limiter.tryAcquire(Long.MAX_VALUE);
        assertEquals(200, limiter.snapshot().limit());
        limiter.reconfigure(warm(50, TEN.multipliedBy(9), RampCurve.GUAVA));
        assertEquals(50, limiter.snapshot().limit(), "warm stays warm");
    }

    @Test
    void W1_wrappingARunningLimitStaysWarmAndUnwrappingHandsOver() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(new Semaphore(10), time);
        Permit out = assertInstanceOf(Permit.class, limiter.tryAcquire(6));
        limiter.reconfigure(warm(20, TEN, RampCurve.LINEAR));
        assertEquals(20, limiter.snapshot().limit());
        assertEquals(6, limiter.snapshot().inFlight());
        limiter.reconfigure(new Counter(7));
        assertEquals(6, limiter.snapshot().inFlight());
        out.close();
        Oracle.assertCapacity(7, limiter);
        VirtualTime other = new VirtualTime();
        ManagedLimiter cold = limiter(warm(100, TEN, RampCurve.LINEAR), other);
        assertInstanceOf(Permit.class, cold.tryAcquire(10));
        cold.reconfigure(new WarmUp(PriorityShedding.of(100, 50), TEN, 10, RampCurve.LINEAR, null));
        assertEquals(10, cold.snapshot().limit(), "another target, the same ramp");
        assertEquals(10, cold.snapshot().inFlight());
        cold.reconfigure(new Semaphore(90));
        assertEquals(90, cold.snapshot().limit());
        assertEquals(10, cold.snapshot().inFlight());
    }

    @Test
    void itCoolsOnlyByIdlenessAndOnlyIfAsked() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter keeps = limiter(new WarmUp(new Semaphore(100), TEN, 10, RampCurve.LINEAR, null), time);
        ManagedLimiter cools = limiter(new WarmUp(new Semaphore(100), TEN, 10, RampCurve.LINEAR, SECOND), time);
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
    void theDialSetsTheFullLimitAlsoToThePresentOne() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(warm(100, TEN, RampCurve.LINEAR), time);
        assertEquals(10, limiter.dial().limit());
        limiter.dial().setLimit(10);
        assertEquals(1, limiter.dial().limit());
        time.advance(TEN);
        assertEquals(10, limit(limiter));
        limiter.dial().setLimit(30);
        assertEquals(30, limit(limiter));
        ManagedLimiter cold = limiter(warm(100, TEN, RampCurve.LINEAR), time);
        assertThrows(IllegalArgumentException.class, () -> cold.dial().setLimit(1L << 40), "at once, not when warm");
        time.advance(TEN);
        assertEquals(100, limit(cold));
    }

    @Test
    void ofSeveralTheFirstWarmsUp() {
        VirtualTime time = new VirtualTime();
        StrategySpec both = AllOf.of(new Semaphore(100), new Semaphore(20));
        assertEquals(
                List.of(warm(100, TEN, RampCurve.LINEAR), new Semaphore(20)),
                warmed(both).parts());
        ManagedLimiter limiter = limiter(warmed(both), time);
        Oracle.assertCapacity(10, limiter);
        time.advance(TEN);
        Oracle.assertCapacity(20, limiter);
        limiter.reconfigure(AllOf.of(warm(100, TEN, RampCurve.LINEAR), new Semaphore(30)));
        Oracle.assertCapacity(30, limiter);
    }

    @Test
    void R3_aWarmUpOfAWarmUpIsRefusedWhenItIsBuilt() {
        WarmUp inner = warm(100, TEN, RampCurve.LINEAR);
        for (StrategySpec bad : List.of(
                inner,
                AllOf.of(inner, new Semaphore(5)),
                warmed(AllOf.of(new Semaphore(5), new Semaphore(6))),
                Keyed.of(inner, 10))) {
            String told = "" + assertThrows(IllegalArgumentException.class, () -> warmed(bad));
            assertTrue(told.contains("target must not warm up by itself, was "), told);
        }
        assertEquals(2, warmed(AllOf.of(new Semaphore(5), inner)).parts().size());
    }

    /** Partitions and reserves are shares of the limit of each step; permits return to the strategy that granted them. */
    @Test
    void S7_partitionsAreSharesOfTheLimitInForce() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(warmed(new Partitioned(100, Map.of("a", 50), 0)), time);
        Request a = Request.forKey("a");
        List<Permit> out = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            out.add(assertInstanceOf(Permit.class, limiter.tryAcquire()));
        }
        assertInstanceOf(Rejection.class, limiter.tryAcquire());
        for (int i = 0; i < 5; i++) {
            out.add(assertInstanceOf(Permit.class, limiter.tryAcquire(a)));
        }
        assertInstanceOf(Rejection.class, limiter.tryAcquire(a));
        limiter.reconfigure(warmed(new Partitioned(100, Map.of(), 0)));
        out.forEach(Permit::close);
        assertEquals(0, limiter.snapshot().inFlight());
        Oracle.assertCapacity(10, limiter);
    }

    @Test
    void anAdjustmentOfTheTargetAloneIsInPlace() {
        VirtualTime time = new VirtualTime();
        PartStrategy running = Parts.create(warm(100, TEN, RampCurve.LINEAR), time);
        assertSame(
                running,
                Traffic.changed(warm(100, TEN, RampCurve.LINEAR), running, warm(50, TEN, RampCurve.LINEAR), time));
        assertEquals(5, running.limit());
        assertEquals(50, running.target());
    }

    /** A thread that was about to take a step sets no limit after the hand-over of the inner strategy. */
    @Test
    void W1_W3_noStepIsTakenAfterTheHandOver() throws Exception {
        for (int round = 0; round < 300; round++) {
            VirtualTime time = new VirtualTime();
            ManagedLimiter limiter = limiter(warm(1000, TEN, RampCurve.LINEAR), time);
            AtomicBoolean done = new AtomicBoolean();
            Thread asking = new Thread(() -> {
                while (!done.get()) {
                    time.advance(10 * MILLI);
                    limit(limiter);
                }
            });
            asking.start();
            limiter.reconfigure(warm(500, TEN.multipliedBy(2), RampCurve.GUAVA));
            limiter.reconfigure(new Semaphore(7));
            done.set(true);
            asking.join();
            assertEquals(7, limiter.snapshot().limit());
            assertEquals(0, limiter.snapshot().inFlight());
        }
    }

    private static WarmUp warm(long limit, Duration period, RampCurve curve) {
        return new WarmUp(new Semaphore(limit), period, 10, curve, null);
    }

    private static ManagedLimiter limiter(StrategySpec spec, VirtualTime time) {
        return Limiters.builder("warming", spec).ticker(time).build();
    }
}
