package dev.weir.budget;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.Collections;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link AdaptiveThrottle} has no limit that could be set, and refuses for outcomes alone. */
@Tag("property")
class AdaptiveThrottleTest {
    private final VirtualTime time = new VirtualTime();

    /** A throttle whose draws are known. */
    private static StrategySpec drawing(AdaptiveThrottle throttle, RandomGenerator random) {
        return ticker -> throttle.create(ticker, random);
    }

    private ManagedLimiter limiter(StrategySpec spec) {
        return Limiters.builder("search", spec).ticker(time).build();
    }

    private static long perMille(ManagedLimiter limiter) {
        return limiter.snapshot().details().get("refusedPerMille");
    }

    /* Calls that are granted before they end, so that none is refused. */
    private static void end(ManagedLimiter limiter, int count, Outcome outcome) {
        Permit[] permits = new Permit[count];
        for (int i = 0; i < count; i++) {
            permits[i] = assertInstanceOf(Permit.class, limiter.tryAcquire());
        }
        for (Permit permit : permits) {
            permit.release(outcome);
        }
    }

    @Test
    void theFormulaByHand() {
        // draws 0: refuses whenever the probability is above 0
        ManagedLimiter limiter = limiter(drawing(AdaptiveThrottle.of(2), () -> 0));
        assertEquals(0, perMille(limiter)); // max(0, (0 - 0) / 1)
        end(limiter, 10, Outcome.SUCCESS);
        assertEquals(0, perMille(limiter)); // (10 - 20) / 11
        end(limiter, 10, Outcome.DROPPED);
        assertEquals(0, perMille(limiter)); // (20 - 20) / 21
        Permit inFlight = assertInstanceOf(Permit.class, limiter.tryAcquire());
        assertInstanceOf(Permit.class, limiter.tryAcquire()).release(Outcome.DROPPED);
        assertEquals(1000 / 22, perMille(limiter)); // (21 - 20) / 22
        Rejection refused = assertInstanceOf(Rejection.class, limiter.tryAcquire());
        assertEquals(Reason.SHED, refused.reason());
        assertEquals(Duration.ofSeconds(12).toNanos(), refused.retryAfterNanos());
        assertEquals(2000 / 23, perMille(limiter)); // the refused one counts: (22 - 20) / 23
        inFlight.release(Outcome.IGNORED); // taken: (23 - 22) / 24
        assertEquals(1000 / 24, perMille(limiter));
        limiter.close();
    }

    @Test
    void theBoundOfTheDrawIsExact() {
        // (3 - 1.5 * 1) / 4 = 1500 of 4000: 1499 is refused, 1500 is not
        AdaptiveThrottle throttle = AdaptiveThrottle.of(1.5);
        for (long draw : new long[] {1499, 1500}) {
            ManagedLimiter limiter = limiter(drawing(throttle, new Fixed(4000, draw)));
            Permit first = assertInstanceOf(Permit.class, limiter.tryAcquire());
            end(limiter, 2, Outcome.DROPPED);
            first.release(Outcome.SUCCESS);
            assertEquals(375, perMille(limiter));
            assertEquals(draw >= 1500, limiter.tryAcquire() instanceof Permit);
        }
    }

    /** Draws one number, out of so many. */
    private record Fixed(long outOf, long draw) implements RandomGenerator {
        @Override
        public long nextLong() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long nextLong(long bound) {
            assertEquals(outOf, bound);
            return draw;
        }
    }

    @Test
    void callsAreForgottenAfterTheWindow() {
        ManagedLimiter limiter = limiter(drawing(AdaptiveThrottle.of(2), () -> 0));
        end(limiter, 9, Outcome.DROPPED);
        assertEquals(900, perMille(limiter));
        time.advance(Duration.ofSeconds(108));
        assertEquals(900, perMille(limiter));
        long hint = assertInstanceOf(Rejection.class, limiter.tryAcquire()).retryAfterNanos();
        assertEquals(Duration.ofSeconds(12).toNanos(), hint);
        time.advance(Duration.ofSeconds(12));
        assertEquals(500, perMille(limiter)); // the one that was refused: 1 / 2
        time.advance(Duration.ofSeconds(120));
        assertInstanceOf(Permit.class, limiter.tryAcquire());
    }

    @Test
    void whatNeverBeganIsNotCounted() {
        ManagedLimiter limiter = limiter(AllOf.of(drawing(AdaptiveThrottle.of(2), () -> 0), new Semaphore(1)));
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        for (int i = 0; i < 5; i++) {
            assertEquals(
                    Reason.CONCURRENCY,
                    assertInstanceOf(Rejection.class, limiter.tryAcquire()).reason());
        }
        held.release(Outcome.DROPPED);
        assertEquals(500, limiter.snapshot().details().get("0.refusedPerMille")); // one call, and it was refused
    }

    @Test
    void aChangeKeepsWhatWasCounted() {
        ManagedLimiter limiter = limiter(AdaptiveThrottle.of(2));
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        Permit success = assertInstanceOf(Permit.class, limiter.tryAcquire());
        end(limiter, 7, Outcome.DROPPED);
        success.release(Outcome.SUCCESS);
        assertEquals(6000 / 9, perMille(limiter));
        limiter.reconfigure(new AdaptiveThrottle(4, Duration.ofSeconds(10)));
        assertEquals(4000 / 9, perMille(limiter));
        limiter.reconfigure(AllOf.of(new AdaptiveThrottle(4, Duration.ofSeconds(10)), new Semaphore(5)));
        held.release(Outcome.DROPPED);
        assertEquals(5000 / 10, limiter.snapshot().details().get("0.refusedPerMille"));
        time.advance(Duration.ofSeconds(10));
        assertEquals(0, limiter.snapshot().details().get("0.refusedPerMille"));
    }

    @Test
    void whatIsInFlightIsCountedAndReleasedOnce() {
        ManagedLimiter limiter = limiter(AdaptiveThrottle.of(2));
        Permit permit = assertInstanceOf(Permit.class, limiter.tryAcquire(Request.of(3)));
        assertEquals(3, limiter.inFlight());
        assertTrue(permit.release(Outcome.DROPPED));
        assertFalse(permit.release(Outcome.DROPPED));
        assertEquals(0, limiter.inFlight());
        assertEquals(500, perMille(limiter)); // one call, once
        assertEquals(
                Reason.NEVER,
                assertInstanceOf(Rejection.class, limiter.tryAcquire(Request.of(1L << 31)))
                        .reason());
        assertEquals(AdaptiveThrottle.of(2), AdaptiveThrottle.of(2).withLimit(7));
    }

    @Test
    void theQuotaIsNotKnown() {
        assertNull(limiter(AdaptiveThrottle.of(2)).quota(Request.ONE));
    }

    @ParameterizedTest
    @CsvSource({
        "0.99, 120, 'k must be >= 1 and <= 1000, was 0.99'",
        "NaN, 120, 'k must be >= 1 and <= 1000, was NaN'",
        "2, 0, 'window must be >= PT1S and <= PT1H, was PT0S'"
    })
    void R3_refusesFiguresOutOfTheirRange(double k, long seconds, String message) {
        Duration window = Duration.ofSeconds(seconds);
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, () -> new AdaptiveThrottle(k, window))
                        .getMessage());
    }

    /* Of n calls, n - k a are refused in the long run, where a are taken: k a are sent. Near 1 that takes longest. */
    @ParameterizedTest
    @CsvSource({"2, 100, 100, 240", "1.1, 100, 50, 4800", "1.5, 200, 190, 2400", "4, 100, 100, 240", "10, 50, 50, 240"})
    void inOverloadTheServiceGetsKTimesWhatItTakes(double k, int capacity, int leastTaken, int seconds) {
        Seed.forAll(3, random -> {
            Overload overload = new Overload(k, capacity, random);
            overload.run(30);
            long got = overload.got;
            long taken = overload.taken;
            overload.run(seconds);
            assertEquals(k, (double) (overload.got - got) / (overload.taken - taken), 0.06 * k);
            assertTrue(
                    overload.taken - taken >= (long) seconds * leastTaken * 0.97,
                    () -> overload.taken - taken + " taken");
        });
    }

    @Test
    void whileTheServiceTakesHalfNothingIsRefused() {
        Overload half = new Overload(2, 520, new SplittableRandom(1));
        half.run(60);
        assertEquals(60_000, half.got);
    }

    /** 1000 calls a second to a service that takes so many of them in each second, under a window of 10 s. */
    private static final class Overload {
        private final VirtualTime time = new VirtualTime();
        private final int capacity;
        private final Strategy throttle;
        private long got;
        private long taken;

        Overload(double k, int capacity, SplittableRandom random) {
            this.capacity = capacity;
            AdaptiveThrottle spec = new AdaptiveThrottle(k, Duration.ofSeconds(10));
            throttle = spec.create(time, random);
        }

        void run(int seconds) {
            for (int second = 0; second < seconds; second++) {
                long credit = 0;
                for (int call = 0; call < 1000; call++) {
                    credit = Math.min(credit + capacity, 10_000);
                    time.advance(1_000_000);
                    if (throttle.acquire(Request.ONE) == Strategy.GRANTED) {
                        got++;
                        boolean isTaken = credit >= 1000;
                        credit -= isTaken ? 1000 : 0;
                        taken += isTaken ? 1 : 0;
                        throttle.release(Request.ONE, isTaken ? Outcome.SUCCESS : Outcome.DROPPED);
                    }
                }
            }
        }
    }

    @Test
    void afterAnOutageItOpensAgainInLittleMoreThanAMinute() {
        VirtualTime clock = new VirtualTime();
        Strategy throttle = new AdaptiveThrottle(2, Duration.ofSeconds(10)).create(clock, new SplittableRandom(7));
        calls(clock, throttle, 30, Outcome.DROPPED);
        long sent = calls(clock, throttle, 1, Outcome.DROPPED);
        assertTrue(sent <= 10, () -> sent + " calls a second to a service that is down");
        calls(clock, throttle, 75, Outcome.SUCCESS);
        assertEquals(1000, calls(clock, throttle, 1, Outcome.SUCCESS));
    }

    private static long calls(VirtualTime clock, Strategy throttle, int seconds, Outcome outcome) {
        long sent = 0;
        for (int call = 0; call < 1000 * seconds; call++) {
            clock.advance(1_000_000);
            if (throttle.acquire(Request.ONE) == Strategy.GRANTED) {
                throttle.release(Request.ONE, outcome);
                sent++;
            }
        }
        return sent;
    }

    @Test
    void threadsLoseNoCall() throws Exception {
        AtomicLong draws = new AtomicLong();
        ManagedLimiter limiter = limiter(drawing(AdaptiveThrottle.of(1), () -> draws.getAndIncrement() % 2 - 1));
        AtomicLong requests = new AtomicLong();
        AtomicLong accepts = new AtomicLong();
        Together.run(Collections.nCopies(4, () -> {
            SplittableRandom random =
                    new SplittableRandom(Thread.currentThread().getId());
            for (int i = 0; i < 10_000; i++) {
                requests.incrementAndGet();
                if (limiter.tryAcquire() instanceof Permit permit) {
                    boolean isTaken = random.nextInt(4) > 0;
                    permit.release(isTaken ? Outcome.SUCCESS : Outcome.DROPPED);
                    accepts.addAndGet(isTaken ? 1 : 0);
                }
            }
        }));
        assertEquals((requests.get() - accepts.get()) * 1000 / (requests.get() + 1), perMille(limiter));
        assertEquals(0, limiter.inFlight());
    }
}
