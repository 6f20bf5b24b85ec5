package dev.weir.verification.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.LimitExceededException;
import dev.weir.Limiter;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A limiter that refuses for a time because something behind it has asked for that. */
@Tag("property")
class SuspensionTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final long NANOS = SECOND.toNanos();
    private static final Request KEYED = Request.forKey("ann");

    private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - 5);
    private final ManagedLimiter limiter = of(new Semaphore(2));

    private ManagedLimiter of(StrategySpec spec) {
        return Limiters.builder("two", spec).ticker(time).build();
    }

    static List<StrategySpec> limits() {
        return List.of(
                new Semaphore(2),
                TokenBucket.of(2, HOUR),
                Keyed.of(new Semaphore(2), 10),
                AllOf.of(Keyed.of(TokenBucket.of(2, HOUR), 10), new Semaphore(5)));
    }

    private static void assertSuspended(long left, Decision decision) {
        Rejection rejection = assertInstanceOf(Rejection.class, decision);
        assertEquals(Reason.SUSPENDED, rejection.reason());
        assertEquals(left, rejection.retryAfterNanos());
        assertEquals("two", rejection.limiter());
    }

    @ParameterizedTest
    @MethodSource("limits")
    void refusesUntilThenAndSpendsNothing(StrategySpec spec) {
        ManagedLimiter own = of(spec);
        Permit held = assertInstanceOf(Permit.class, own.tryAcquire(KEYED));
        assertTrue(own.suspendFor(SECOND, "told"));
        assertSuspended(NANOS, own.tryAcquire(KEYED));
        assertSuspended(NANOS, own.tryAcquire(KEYED.refundable()));
        assertSuspended(NANOS, own.attempt(KEYED));
        time.advance(NANOS - 1);
        assertSuspended(1, own.tryAcquire(KEYED));
        assertTrue(held.release(Outcome.SUCCESS), "what is held stays");
        time.advance(1);
        assertInstanceOf(Permit.class, own.tryAcquire(KEYED));
        own.reconfigure(spec);
        assertEquals(0, own.snapshot().suspendedNanos());
    }

    @Test
    void callAndRunAreRefusedToo() throws Exception {
        limiter.suspendFor(SECOND, "told");
        LimitExceededException thrown = assertThrows(LimitExceededException.class, () -> limiter.run(() -> {}));
        assertSuspended(NANOS, thrown.rejection());
        assertEquals(Outcome.IGNORED, thrown.outcome());
        assertEquals("no", limiter.call(Request.ONE, () -> "yes", refused -> "no"));
        time.advance(SECOND);
        assertEquals("yes", limiter.call(Request.ONE, () -> "yes", refused -> "no"));
        assertEquals(0, limiter.inFlight());
    }

    @Test
    void theLaterOfTwoCounts() {
        assertTrue(limiter.suspendFor(SECOND, "first"));
        assertFalse(limiter.suspendFor(SECOND, "as late"));
        assertFalse(limiter.suspendFor(Duration.ofMillis(999), "sooner"));
        assertEquals("first", limiter.snapshot().suspendedBy());
        assertTrue(limiter.suspendFor(Duration.ofSeconds(3), "later"));
        time.advance(SECOND);
        assertSuspended(2 * NANOS, limiter.tryAcquire());
        assertEquals("later", limiter.snapshot().suspendedBy());
        assertFalse(limiter.suspendFor(SECOND.plusMillis(999), "sooner"));
        assertSuspended(2 * NANOS, limiter.tryAcquire());
        time.advance(2 * NANOS);
        assertInstanceOf(Permit.class, limiter.tryAcquire());
        assertTrue(limiter.suspendFor(Duration.ofNanos(1), "again"));
        assertSuspended(1, limiter.tryAcquire());
    }

    /** The first request after the end meets a longer suspension that came before it. */
    @Test
    void whatIsOverAndNotYetRemovedIsProlonged() {
        limiter.suspendFor(SECOND, "first");
        time.advance(2 * NANOS);
        assertEquals(0, limiter.snapshot().suspendedNanos());
        assertNull(limiter.snapshot().suspendedBy());
        assertTrue(limiter.suspendFor(SECOND, "second"));
        assertSuspended(NANOS, limiter.tryAcquire());
        assertEquals("second", limiter.snapshot().suspendedBy());
    }

    @Test
    void noTimeAndThePastDoNothing() {
        for (Duration none : List.of(Duration.ZERO, Duration.ofNanos(-1), Duration.ofSeconds(Long.MIN_VALUE))) {
            assertFalse(limiter.suspendFor(none, "none"));
        }
        assertFalse(limiter.suspendUntil(Instant.EPOCH, "past"));
        assertFalse(limiter.suspendUntil(Instant.MIN, "long ago"));
        assertThrows(NullPointerException.class, () -> limiter.suspendFor(SECOND, null));
        assertThrows(NullPointerException.class, () -> limiter.suspendFor(null, "null"));
        assertInstanceOf(Permit.class, limiter.tryAcquire());
    }

    @Test
    void seventyThreeYearsAtMost() {
        long longest = 1L << 61;
        assertTrue(limiter.suspendFor(Duration.ofSeconds(Long.MAX_VALUE), "ever"));
        assertSuspended(longest, limiter.tryAcquire());
        assertFalse(limiter.suspendUntil(Instant.MAX, "ever"));
        time.advance(longest - 1);
        assertSuspended(1, limiter.tryAcquire());
        time.advance(1);
        assertInstanceOf(Permit.class, limiter.tryAcquire());
    }

    /** The clock of the day is read once. From then on it may stand for an hour, or jump by one, and only the ticker counts. */
    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 1})
    void theClockOfTheDayMayJump(long hours) {
        Instant then = InstantSource.system().instant().plus(HOUR.multipliedBy(2));
        assertTrue(limiter.suspendUntil(then, "told"));
        long told = limiter.snapshot().suspendedNanos();
        assertTrue(told > HOUR.toNanos() && told <= 2 * HOUR.toNanos(), () -> told + " ns");
        // In the time of the ticker the clock of the day is by so much ahead of what it was.
        time.advance(HOUR.multipliedBy(1 + hours).toNanos() / 2);
        assertSuspended(told - HOUR.multipliedBy(1 + hours).toNanos() / 2, limiter.tryAcquire());
        time.advance(limiter.snapshot().suspendedNanos() - 1);
        assertSuspended(1, limiter.tryAcquire());
        time.advance(1);
        assertInstanceOf(Permit.class, limiter.tryAcquire());
    }

    @Test
    void aTickerThatIsSetBackLengthensItOnly() {
        limiter.suspendFor(SECOND, "told");
        long now = time.read();
        time.jumpTo(now - HOUR.toNanos());
        assertSuspended(NANOS + HOUR.toNanos(), limiter.tryAcquire());
        assertFalse(limiter.suspendFor(HOUR, "sooner than that"));
        time.jumpTo(now + NANOS);
        assertInstanceOf(Permit.class, limiter.tryAcquire());
    }

    @Test
    void itStaysThroughEveryChange() {
        limiter.suspendFor(SECOND, "told");
        List<Runnable> changes = List.of(
                () -> limiter.reconfigure(new Semaphore(3)),
                () -> limiter.dial().setLimit(7),
                () -> limiter.reconfigure(TokenBucket.of(5, SECOND)),
                () -> limiter.enforce(1),
                limiter::counts,
                () -> limiter.trackPermits(1),
                () -> limiter.trackPermits(0),
                () -> limiter.observe(new LimiterObserver() {}).close());
        for (Runnable change : changes) {
            change.run();
            assertSuspended(NANOS, limiter.tryAcquire());
        }
        time.advance(SECOND);
        assertInstanceOf(Permit.class, limiter.tryAcquire());
    }

    @Test
    void aClosedLimiterIsClosedAndNotSuspended() {
        limiter.suspendFor(SECOND, "told");
        limiter.close();
        assertEquals(
                Reason.CANCELLED,
                assertInstanceOf(Rejection.class, limiter.tryAcquire()).reason());
        assertEquals(0, limiter.snapshot().suspendedNanos());
        assertFalse(limiter.suspendFor(HOUR, "after the end"));
    }

    @Test
    void aDryRunLetsThrough() {
        limiter.enforce(0);
        limiter.suspendFor(SECOND, "told");
        assertInstanceOf(Permit.class, limiter.tryAcquire());
        assertEquals(0, limiter.inFlight(), "it holds nothing");
        limiter.enforce(0.5);
        long granted = java.util.stream.IntStream.range(0, 1000)
                .filter(i -> limiter.tryAcquire() instanceof Permit)
                .count();
        assertEquals(500, granted, 1);
    }

    @Test
    void observersAreToldOfEachThatIsLonger() {
        List<String> told = new ArrayList<>();
        LimiterObserver observer = new LimiterObserver() {
            @Override
            public void onSuspended(long nanos, String why) {
                told.add(nanos + " " + why);
            }
        };
        limiter.observe(observer);
        limiter.observe(observer, false);
        limiter.observe(new LimiterObserver() {
            @Override
            public void onSuspended(long nanos, String why) {
                throw new IllegalStateException("of an observer");
            }
        });
        limiter.suspendFor(SECOND, "one");
        limiter.suspendFor(SECOND, "the same");
        limiter.suspendFor(Duration.ofSeconds(2), "two");
        assertEquals(List.of("1000000000 one", "1000000000 one", "2000000000 two", "2000000000 two"), told);
        assertEquals(2, limiter.counts().failures());
    }

    @Test
    void refusalsAreCountedAndObserved() {
        List<Reason> reasons = new ArrayList<>();
        limiter.counts();
        limiter.observe(new LimiterObserver() {
            @Override
            public void onRejected(Request request, Rejection rejection) {
                reasons.add(rejection.reason());
            }
        });
        limiter.suspendFor(SECOND, "told");
        limiter.tryAcquire();
        assertEquals(List.of(Reason.SUSPENDED), reasons);
        assertEquals(1, limiter.counts().refused(Reason.SUSPENDED));
    }

    /** The author's code asks the limiter that it belongs to, which is neither forbidden nor changed by that. */
    @Test
    void codeOfAChangeMayAskWhenItIsOver() {
        limiter.suspendFor(SECOND, "told");
        time.advance(SECOND);
        List<Decision> asked = new ArrayList<>();
        StrategySpec asking = ticker -> {
            asked.add(limiter.tryAcquire());
            return new Semaphore(2).create(ticker);
        };
        limiter.reconfigure(asking);
        assertInstanceOf(Permit.class, asked.get(0));
        assertInstanceOf(Permit.class, limiter.tryAcquire());
    }

    @Test
    void aLimiterThatCannotSaysSo() {
        Limiter other = new Limiter() {
            @Override
            public String name() {
                return "other";
            }

            @Override
            public Decision tryAcquire(Request request) {
                throw new AssertionError();
            }

            @Override
            public <T> T call(
                    Request request, Callable<? extends T> work, Function<? super Rejection, ? extends T> fallback) {
                throw new AssertionError();
            }

            @Override
            public void run(Request request, Runnable work, Consumer<? super Rejection> fallback) {
                throw new AssertionError();
            }
        };
        String message = assertThrows(
                        UnsupportedOperationException.class, () -> other.suspendUntil(Instant.MAX, "told"))
                .getMessage();
        assertEquals("limiter other cannot be suspended", message);
    }

    /** Against a model: the latest end of all suspensions, and what is granted before and after it. */
    @Test
    void anyOrderOfSuspensionsChangesAndRequestsIsRight() {
        Seed.forAll(300, random -> {
            VirtualTime clock = new VirtualTime(random.nextLong());
            ManagedLimiter own =
                    Limiters.builder("two", new Semaphore(1000)).ticker(clock).build();
            long end = clock.read();
            for (int i = 0; i < 200; i++) {
                long left = end - clock.read();
                switch (random.nextInt(6)) {
                    case 0 -> {
                        long nanos = random.nextLong(-2, 10);
                        boolean longer = nanos > 0 && nanos > left;
                        assertEquals(longer, own.suspendFor(Duration.ofNanos(nanos), "told"));
                        end = longer ? clock.read() + nanos : end;
                    }
                    case 1 -> clock.advance(random.nextInt(8));
                    case 2 -> change(own, random);
                    case 3 -> assertEquals(Math.max(0, left), own.snapshot().suspendedNanos());
                    default -> {
                        Decision decision = own.tryAcquire();
                        if (left > 0) {
                            assertSuspended(left, decision);
                        } else {
                            assertTrue(((Permit) decision).release(Outcome.SUCCESS));
                        }
                    }
                }
            }
        });
    }

    private static void change(ManagedLimiter own, SplittableRandom random) {
        switch (random.nextInt(3)) {
            case 0 -> own.reconfigure(new Semaphore(1000 + random.nextInt(3)));
            case 1 -> own.reconfigure(Keyed.of(new Semaphore(1000), 10));
            default -> own.observe(new LimiterObserver() {}).close();
        }
        own.reconfigure(new Semaphore(1000 + random.nextInt(3)));
    }
}
