package dev.weir.verification.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Adjustable;
import dev.weir.LimitExceededException;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.VirtualTime;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The engine over real strategies, one behaviour a test. */
class EngineTest {
    private final VirtualTime time = new VirtualTime();
    private final ManagedLimiter limiter = Limiters.of("two", new Semaphore(2));

    /** Writes down what it is told, a line each. */
    private static final class Told implements LimiterObserver {
        final List<String> lines = new ArrayList<>();

        @Override
        public boolean timesNext() {
            return true;
        }

        @Override
        public void onAdmitted(Request request) {
            lines.add("admitted " + request.permits());
        }

        @Override
        public void onRejected(Request request, Rejection rejection) {
            lines.add("rejected " + rejection.reason());
        }

        @Override
        public void onReleased(Request request, Outcome outcome, long heldNanos) {
            lines.add("released " + outcome + " " + heldNanos);
        }

        @Override
        public void onLimitChanged(long from, long to, String why) {
            lines.add(from + "->" + to + " " + why);
        }

        @Override
        public void onDrained() {
            lines.add("drained");
        }
    }

    @Test
    void aRefusalInsideTheWorkIsADropOnlyIfItTellsOfLoad() {
        Map<Outcome, Set<Reason>> reasons = new EnumMap<>(Outcome.class);
        for (Reason reason : Reason.values()) {
            LimitExceededException refused = new LimitExceededException(new Rejection("inside", reason, 0, 1));
            Outcome outcome = Outcome.of(refused);
            assertEquals(outcome, Outcome.of(new CompletionException(refused)), reason::name);
            reasons.computeIfAbsent(outcome, first -> EnumSet.noneOf(Reason.class))
                    .add(reason);
        }
        assertEquals(
                Map.of(
                        Outcome.DROPPED,
                        EnumSet.of(
                                Reason.CONCURRENCY,
                                Reason.QUEUE_FULL,
                                Reason.TIMED_OUT,
                                Reason.SHED,
                                Reason.UNAVAILABLE),
                        Outcome.IGNORED,
                        EnumSet.of(Reason.RATE, Reason.NEVER, Reason.KEY_MISSING, Reason.CANCELLED, Reason.SUSPENDED)),
                reasons);
        assertEquals(Outcome.DROPPED, Outcome.of(new RejectedExecutionException()));
    }

    @Test
    void theDialOfAClaimEndsWithIt() {
        Registration claim = limiter.claimDial("first");
        Adjustable dial = limiter.dial(claim);
        dial.setLimit(7);
        assertEquals(7, limiter.dial().limit());
        claim.close();
        dial.setLimit(9);
        assertEquals(7, limiter.dial().limit());
        assertTrue(dial.stale());
        assertFalse(limiter.dial().stale());
        Registration other = Limiters.of("other", new Semaphore(2)).claimDial("second");
        String message = assertThrows(IllegalArgumentException.class, () -> limiter.dial(other))
                .getMessage();
        assertTrue(message.startsWith("claim must be one to the dial of this limiter, was "), message);
    }

    @Test
    void aRejectionSaysAllThereIsToSay() {
        limiter.tryAcquire(2);
        assertEquals(new Rejection("two", Reason.CONCURRENCY, 0, 2), limiter.tryAcquire());
        assertEquals(new Rejection("two", Reason.NEVER, 0, 2), limiter.tryAcquire(3));
        limiter.dial().setLimit(1);
        assertEquals(new Rejection("two", Reason.CONCURRENCY, 0, 1), limiter.tryAcquire());
        ManagedLimiter rate = Limiters.builder("rate", TokenBucket.of(4, Duration.ofSeconds(1)))
                .ticker(time)
                .build();
        rate.tryAcquire(4);
        assertEquals(new Rejection("rate", Reason.RATE, 500_000_000, 4), rate.tryAcquire(2));
    }

    @Test
    void workEndsAsItsExceptionSays() {
        Told told = new Told();
        ManagedLimiter limiter =
                Limiters.builder("n", new Semaphore(1)).ticker(time).build();
        limiter.observe(told);
        limiter.run(() -> time.advance(7));
        assertThrows(IOException.class, () -> limiter.call(() -> thrown(new IOException())));
        assertThrows(TimeoutException.class, () -> limiter.call(() -> thrown(new TimeoutException())));
        assertThrows(SocketTimeoutException.class, () -> limiter.call(() -> thrown(new SocketTimeoutException())));
        assertThrows(
                CompletionException.class,
                () -> limiter.call(() -> thrown(new CompletionException(new RejectedExecutionException()))));
        assertThrows(
                AssertionError.class,
                () -> limiter.run(() -> {
                    throw new AssertionError();
                }));
        assertEquals(
                List.of(
                        "released SUCCESS 7",
                        "released IGNORED 0",
                        "released DROPPED 0",
                        "released DROPPED 0",
                        "released DROPPED 0",
                        "released IGNORED 0"),
                told.lines.stream().filter(line -> line.startsWith("rel")).toList());
        Oracle.assertCapacity(1, limiter);
    }

    private static <T> T thrown(Exception e) throws Exception {
        throw e;
    }

    @Test
    void S15_aClassifierThatThrowsLosesNothing() {
        ManagedLimiter limiter = Limiters.builder("n", new Semaphore(1))
                .classifier(t -> {
                    throw new IllegalStateException();
                })
                .build();
        assertThrows(IOException.class, () -> limiter.call(() -> thrown(new IOException())));
        assertEquals(1, limiter.counts().failures());
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void aRejectionGoesToTheFallbackOrIsThrownWithoutAStack() throws Exception {
        limiter.tryAcquire(2);
        LimitExceededException thrown = assertThrows(LimitExceededException.class, () -> limiter.run(() -> {}));
        assertEquals(Reason.CONCURRENCY, thrown.rejection().reason());
        assertEquals(0, thrown.getStackTrace().length);
        assertTrue(thrown.getMessage().contains("two"));
        assertThrows(LimitExceededException.class, () -> limiter.call(() -> 1));
        assertEquals(42, limiter.call(() -> 1, rejection -> 42));
        AtomicInteger fallen = new AtomicInteger();
        limiter.run(() -> {}, rejection -> fallen.incrementAndGet());
        assertEquals(1, fallen.get());
    }

    @Test
    void S13_aSecondReturnDoesNothingAndIsCounted() {
        Permit permit = assertInstanceOf(Permit.class, limiter.tryAcquire());
        assertThrows(NullPointerException.class, () -> permit.release(null));
        assertTrue(permit.release(Outcome.SUCCESS));
        assertFalse(permit.release(Outcome.SUCCESS));
        permit.close();
        assertEquals(2, limiter.counts().doubleReleases());
        Oracle.assertCapacity(2, limiter);
    }

    @Test
    void S11_aPermitReturnsToTheStrategyThatGrantedIt() {
        Permit early = assertInstanceOf(Permit.class, limiter.tryAcquire());
        limiter.reconfigure(TokenBucket.of(5, Duration.ofSeconds(1)));
        assertInstanceOf(Permit.class, limiter.tryAcquire());
        limiter.reconfigure(new Semaphore(3));
        Oracle.assertCapacity(2, limiter);
        assertTrue(early.release(Outcome.SUCCESS));
        Oracle.assertCapacity(3, limiter);
    }

    @Test
    void W1_anotherAlgorithmOfTheSameKindCountsOn() {
        Permit first = assertInstanceOf(Permit.class, limiter.tryAcquire());
        limiter.reconfigure(new Counter(2));
        assertEquals(1, limiter.snapshot().inFlight());
        Permit second = assertInstanceOf(Permit.class, limiter.tryAcquire());
        assertInstanceOf(Rejection.class, limiter.tryAcquire());
        limiter.reconfigure(new Semaphore(1));
        first.close();
        assertInstanceOf(Rejection.class, limiter.tryAcquire());
        second.close();
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void aDialGoesDeafWhenItsStrategyIsReplaced() {
        Adjustable dial = limiter.dial();
        limiter.reconfigure(new Counter(4));
        dial.setLimit(1);
        assertEquals(4, limiter.dial().limit());
        limiter.reconfigure(new Semaphore(5));
        dial.setLimit(1);
        assertEquals(5, limiter.dial().limit());
        assertThrows(IllegalArgumentException.class, () -> dial.setLimit(0));
    }

    @Test
    void S3_everyReleaseAndEveryChangeWakes() {
        AtomicInteger woken = new AtomicInteger();
        Registration registration = limiter.whenCapacity(woken::incrementAndGet);
        Permit permit = assertInstanceOf(Permit.class, limiter.tryAcquire());
        permit.close();
        assertEquals(1, woken.get());
        limiter.dial().setLimit(3);
        assertEquals(2, woken.get());
        limiter.dial().setLimit(1);
        assertEquals(3, woken.get(), "a waiter may be too heavy for it, and hold up no other");
        limiter.dial().setLimit(1);
        assertEquals(3, woken.get());
        limiter.reconfigure(new Counter(5));
        assertEquals(4, woken.get());
        limiter.run(() -> {});
        assertEquals(5, woken.get());
        limiter.close();
        assertEquals(6, woken.get());
        registration.close();
        registration.close();
        permit.close();
        assertEquals(6, woken.get());
    }

    @Test
    void W4_anEqualSpecIsNoEventAndNoWakeUp() {
        Told told = new Told();
        AtomicInteger woken = new AtomicInteger();
        limiter.observe(told);
        limiter.whenCapacity(woken::incrementAndGet);
        limiter.reconfigure(new Semaphore(2));
        assertEquals(List.of(), told.lines);
        assertEquals(0, woken.get());
    }

    @Test
    void observersHearTheStoryInOrder() {
        Told told = new Told();
        ManagedLimiter limiter =
                Limiters.builder("n", new Semaphore(1)).ticker(time).build();
        Registration registration = limiter.observe(told);
        Permit permit = assertInstanceOf(Permit.class, limiter.tryAcquire());
        limiter.tryAcquire();
        limiter.attempt(Request.ONE);
        time.advance(5);
        permit.release(Outcome.DROPPED);
        limiter.dial().setLimit(2, "because");
        limiter.reconfigure(new Counter(3));
        limiter.tryAcquire();
        registration.close();
        limiter.tryAcquire();
        assertEquals(
                List.of(
                        "admitted 1",
                        "rejected CONCURRENCY",
                        "released DROPPED 5",
                        "1->2 because",
                        "2->3 reconfigured",
                        "admitted 1"),
                told.lines);
    }

    @Test
    void S15_foreignCodeThatThrowsNeitherLeaksNorStops() {
        LimiterObserver hostile = new LimiterObserver() {
            @Override
            public boolean timesNext() {
                throw new StackOverflowError();
            }

            @Override
            public void onAdmitted(Request request) {
                throw new IllegalStateException();
            }

            @Override
            public void onRejected(Request request, Rejection rejection) {
                throw new AssertionError();
            }

            @Override
            public void onReleased(Request request, Outcome outcome, long heldNanos) {
                throw new OutOfMemoryError();
            }
        };
        Told told = new Told();
        limiter.observe(hostile);
        limiter.observe(told);
        limiter.whenCapacity(() -> {
            throw new IllegalStateException();
        });
        limiter.run(() -> {});
        limiter.tryAcquire(3);
        assertEquals(
                List.of("admitted 1", "released SUCCESS"),
                told.lines.stream()
                        .filter(line -> !line.startsWith("rej"))
                        .map(line -> line.replaceAll(" \\d+$", "").replace("admitted", "admitted 1"))
                        .toList());
        assertEquals(6, limiter.counts().failures());
        Oracle.assertCapacity(2, limiter);
    }

    @Test
    void aLimiterThatIsClosedRefusesAndDrains() {
        Told told = new Told();
        limiter.observe(told);
        Permit permit = assertInstanceOf(Permit.class, limiter.tryAcquire());
        limiter.close();
        limiter.close();
        assertEquals(
                Reason.CANCELLED,
                assertInstanceOf(Rejection.class, limiter.tryAcquire()).reason());
        assertEquals(1, limiter.snapshot().inFlight());
        assertFalse(told.lines.contains("drained"));
        assertTrue(permit.release(Outcome.SUCCESS));
        assertEquals("drained", told.lines.get(told.lines.size() - 2));
        assertEquals(0, limiter.snapshot().inFlight());
        assertThrows(IllegalStateException.class, () -> limiter.reconfigure(new Semaphore(9)));
    }

    @Test
    void S3_lessEnforcementWakesWhoWaits() {
        ManagedLimiter limiter = Limiters.of("n", new Semaphore(1));
        AtomicInteger woken = new AtomicInteger();
        limiter.whenCapacity(woken::incrementAndGet);
        limiter.enforce(0.5);
        assertEquals(1, woken.get());
    }

    @Test
    void enforcementIsGraded() {
        ManagedLimiter limiter = Limiters.of("n", new Semaphore(1));
        limiter.counts();
        limiter.tryAcquire();
        limiter.enforce(0);
        for (int i = 0; i < 1_000; i++) {
            assertInstanceOf(Permit.class, limiter.tryAcquire()).close();
        }
        assertEquals(1_000, limiter.counts().passed());
        assertEquals(1, limiter.snapshot().inFlight());
        limiter.enforce(0.25);
        int refused = 0;
        for (int i = 0; i < 1_000; i++) {
            refused += limiter.tryAcquire() instanceof Rejection ? 1 : 0;
        }
        assertTrue(Math.abs(refused - 250) <= 2, refused + " of 1000 refused");
        assertEquals(refused, limiter.counts().refused(Reason.CONCURRENCY));
        limiter.enforce(1);
        assertInstanceOf(Rejection.class, limiter.tryAcquire());
        for (double bad : new double[] {-0.1, 1.1, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertThrows(IllegalArgumentException.class, () -> limiter.enforce(bad));
        }
    }

    @Test
    void countsAreKeptFromTheFirstCallOn() {
        limiter.run(() -> {});
        assertEquals(0, limiter.counts().admitted());
        limiter.run(() -> {});
        limiter.tryAcquire(2);
        limiter.tryAcquire();
        limiter.tryAcquire(3);
        assertEquals(2, limiter.counts().admitted());
        assertEquals(1, limiter.counts().refused(Reason.CONCURRENCY));
        assertEquals(1, limiter.counts().refused(Reason.NEVER));
    }

    @Test
    void permitsThatAreOutForLongAreReportedWithTheirStackAndNeverReclaimed() {
        ManagedLimiter limiter = Limiters.builder("n", new Semaphore(3))
                .ticker(time)
                .trackPermits(1)
                .build();
        Permit leaked = leak(limiter);
        time.advance(Duration.ofSeconds(93));
        limiter.run(() -> {});
        limiter.tryAcquire();
        assertEquals(Duration.ofSeconds(93).toNanos(), limiter.snapshot().oldestHeldNanos());
        var reported = limiter.heldLongerThan(Duration.ofSeconds(60));
        assertEquals(1, reported.size());
        assertEquals("leak", reported.get(0).acquiredAt().get(1).getMethodName());
        assertEquals(Thread.currentThread().getName(), reported.get(0).thread());
        assertEquals(2, limiter.snapshot().inFlight());
        leaked.close();
        assertEquals(List.of(), limiter.heldLongerThan(Duration.ofSeconds(60)));
    }

    private static Permit leak(ManagedLimiter limiter) {
        return (Permit) limiter.tryAcquire();
    }

    @Test
    void R6_aGateGivesBackWhatACancelledRequestHadSpent() {
        ManagedLimiter rate = Limiters.builder("rate", TokenBucket.of(1, Duration.ofSeconds(1)))
                .ticker(time)
                .build();
        for (int i = 0; i < 100; i++) {
            Permit permit = assertInstanceOf(Permit.class, rate.attempt(Request.ONE.refundable()));
            assertInstanceOf(Rejection.class, rate.attempt(Request.ONE));
            assertTrue(permit.release(Outcome.CANCELLED));
            assertFalse(permit.release(Outcome.CANCELLED));
        }
        assertInstanceOf(Permit.class, rate.attempt(Request.ONE));
        assertInstanceOf(Rejection.class, rate.attempt(Request.ONE));
    }

    @Test
    void aRatePermitIsOneSharedObject() {
        ManagedLimiter rate = Limiters.of("rate", TokenBucket.of(10, Duration.ofDays(1)));
        assertSame(rate.tryAcquire(), rate.tryAcquire());
    }

    @Test
    void R3_badArgumentsAreRefusedByNameRuleAndValue() {
        assertEquals(
                "permits must be >= 1, was 0",
                assertThrows(IllegalArgumentException.class, () -> limiter.tryAcquire(0))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> limiter.tryAcquire(Long.MIN_VALUE));
        assertThrows(NullPointerException.class, () -> limiter.reconfigure(null));
        assertThrows(NullPointerException.class, () -> limiter.tryAcquire(null));
        assertThrows(IllegalArgumentException.class, () -> Limiters.of(" ", new Semaphore(1)));
        assertThrows(IllegalArgumentException.class, () -> new Request(1, -1, null, 0));
        assertThrows(IllegalArgumentException.class, () -> new Request(1, 0, null, -1));
        assertThrows(IllegalArgumentException.class, () -> new Rejection("n", Reason.RATE, -1, 1));
        assertThrows(
                IllegalArgumentException.class,
                () -> Limiters.builder("n", new Semaphore(1)).trackPermits(0));
        Oracle.assertCapacity(2, limiter);
    }

    @Test
    void aRequestIsCopiedWithOneOtherPart() {
        Request request = new Request(2, 3, "ann", 4);
        assertEquals(new Request(5, 3, "ann", 4), request.withPermits(5));
        assertEquals(new Request(2, 5, "ann", 4), request.withPriority(5));
        assertEquals(new Request(2, 3, "ben", 4), request.withKey("ben"));
        assertEquals(new Request(2, 3, null, 4), request.withKey(null));
        assertEquals(new Request(2, 3, "ann", 5), request.withDeadlineNanos(5));
        assertThrows(IllegalArgumentException.class, () -> request.withPermits(0));
        assertThrows(IllegalArgumentException.class, () -> request.withPriority(-1));
        assertThrows(IllegalArgumentException.class, () -> request.withDeadlineNanos(-1));
    }

    @Test
    void aRejectionHintsAtJitterAndSaturates() {
        Rejection late = new Rejection("n", Reason.RATE, Long.MAX_VALUE - 1, 1);
        assertEquals(Long.MAX_VALUE, late.jitteredNanos(new java.util.Random(1) {
            private static final long serialVersionUID = 1L;

            @Override
            public long nextLong(long bound) {
                return bound - 1;
            }
        }));
        assertEquals(1_000_000, new Rejection("n", Reason.RATE, 10, 1).jitterNanos());
        assertEquals(0, new Rejection("n", Reason.NEVER, 0, 1).jitterNanos());
        assertEquals(0, new Rejection("n", Reason.KEY_MISSING, 0, 1).jitterNanos());
    }

    @Test
    void countsPrintTheirFigures() {
        ManagedLimiter limiter = Limiters.of("a", new Semaphore(1));
        limiter.counts();
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        limiter.tryAcquire();
        limiter.tryAcquire();
        held.release(Outcome.SUCCESS);
        held.release(Outcome.SUCCESS);
        assertEquals(
                "Counts[admitted=1, refused={CONCURRENCY=2}, passed=0, doubleReleases=1, settledAgain=0, failures=0]",
                limiter.counts().toString());
    }
}
