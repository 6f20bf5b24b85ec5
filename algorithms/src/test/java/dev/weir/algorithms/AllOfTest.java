package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.Seed;
import dev.weir.testkit.StrategyContract;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("property")
class AllOfTest extends StrategyContract {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @Override
    protected StrategySpec spec(long limit) {
        return AllOf.of(new Semaphore(limit), new Semaphore(1000), TokenBucket.of(1L << 40, SECOND));
    }

    /** Ten per second and a thousand per hour. */
    @Nested
    class Rates extends StrategyContract {
        @Override
        protected StrategySpec spec(long limit) {
            return AllOf.of(TokenBucket.of(limit, SECOND), TokenBucket.of(1_000_000, Duration.ofHours(1)));
        }

        @Override
        protected long maxWithin(long windowNanos, long limit) {
            return limit + windowNanos * limit / 1_000_000_000L;
        }
    }

    @Test
    void truthTableOfTwoRates() {
        VirtualTime time = new VirtualTime();
        // 4 per second and 6 per minute: the first allows the fifth after 250 ms, the second the seventh after 10 s.
        ManagedLimiter limiter = limiter(time, TokenBucket.of(4, SECOND), TokenBucket.of(6, Duration.ofMinutes(1)));
        assertEquals(4, take(limiter, 9).size());
        Rejection bySecond = refused(limiter, Request.ONE);
        assertEquals(250_000_000, bySecond.retryAfterNanos());
        assertEquals(4, bySecond.limit());
        time.advance(SECOND); // 4 and 2.1 are available
        assertEquals(2, take(limiter, 9).size());
        Rejection byMinute = refused(limiter, Request.ONE); // 0.1 of a permit is available: 9 s for the rest
        assertEquals(9_000_000_000L, byMinute.retryAfterNanos());
        assertEquals(6, byMinute.limit());
        assertEquals(Reason.NEVER, refused(limiter, Request.of(5)).reason()); // 5 > 4, whatever is left of the minute
        time.advance(9_000_000_000L - 1);
        refused(limiter, Request.ONE); // takes a token of the first rate and refunds it
        time.advance(1);
        assertEquals(1, take(limiter, 9).size());
        time.advance(Duration.ofMinutes(1)); // both full: nothing was lost by all the rejections
        assertEquals(4, take(limiter, 9).size());
    }

    @Test
    void truthTableOfReasons() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter =
                limiter(time, PriorityShedding.of(10, 50), new Semaphore(8), TokenBucket.of(7, SECOND));
        Request low = new Request(1, 1, null, Request.NO_DEADLINE);
        assertInstanceOf(Permit.class, limiter.tryAcquire(Request.of(5)));
        assertEquals(Reason.SHED, refused(limiter, low).reason());
        assertEquals(10, refused(limiter, low).limit());
        assertInstanceOf(Permit.class, limiter.tryAcquire(Request.of(2))); // 7 in flight, 7 used
        Rejection rate = refused(limiter, Request.ONE);
        assertEquals(Reason.RATE, rate.reason());
        assertEquals(7, rate.limit());
        Rejection both = refused(limiter, Request.of(2)); // 9 > 8 until a release, and 2 tokens missing
        assertEquals(Reason.CONCURRENCY, both.reason());
        assertEquals(8, both.limit());
        assertEquals(0, both.retryAfterNanos());
        assertEquals(Reason.NEVER, refused(limiter, Request.of(8)).reason()); // 8 > 7 per second
        assertEquals(7, limiter.snapshot().inFlight());
        assertEquals(
                Map.of(
                        "0.inFlight",
                        7L,
                        "0.limit",
                        10L,
                        "1.inFlight",
                        7L,
                        "1.limit",
                        8L,
                        "2.inFlight",
                        0L,
                        "2.limit",
                        7L),
                limiter.snapshot().details());
    }

    @Test
    void R6_cancelledWorkIsRefundedAndReleased() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter mixed = limiter(time, new Semaphore(3), TokenBucket.of(2, SECOND));
        ManagedLimiter rates = limiter(time, TokenBucket.of(2, SECOND), TokenBucket.of(9, SECOND));
        ManagedLimiter nested = limiter(time, new Semaphore(5), AllOf.of(new Semaphore(3), TokenBucket.of(2, SECOND)));
        for (ManagedLimiter limiter : List.of(mixed, rates, nested)) {
            for (int i = 0; i < 20; i++) {
                Permit one = assertInstanceOf(
                        Permit.class, limiter.attempt(Request.of(2).refundable()));
                one.release(Outcome.CANCELLED);
                one.release(Outcome.CANCELLED);
            }
            assertEquals(2, take(limiter, 9).size(), "no token is lost or added");
        }
    }

    @Test
    void R6_aRejectionByAnOuterMemberIsUndoneOnceInsideANestedOne() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter =
                limiter(time, AllOf.of(new Semaphore(9), TokenBucket.of(4, SECOND)), TokenBucket.of(2, SECOND));
        assertEquals(2, take(limiter, 9).size());
        for (int i = 0; i < 20; i++) {
            refused(limiter, Request.ONE);
        }
        time.advance(SECOND.dividedBy(2)); // inner: 2 left of 4, and 2 refilled: full; outer: 1 refilled
        assertEquals(1, take(limiter, 9).size());
        // inner: 1 of 4 is missing; outer: 2 of 2, a debt of the other, because that rate is dropped
        limiter.reconfigure(AllOf.of(AllOf.of(new Semaphore(9), TokenBucket.of(4, SECOND)), new Semaphore(99)));
        assertEquals(2, take(limiter, 9).size());
    }

    @Test
    void S15_aMemberThatThrowsLeaksNothing() {
        AtomicBoolean throwing = new AtomicBoolean();
        StrategySpec faulty = ticker -> new Faulty(throwing);
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(time, new Semaphore(2), TokenBucket.of(2, SECOND), faulty, new Semaphore(50));
        throwing.set(true);
        for (int i = 0; i < 10; i++) {
            assertThrows(StackOverflowError.class, limiter::tryAcquire);
        }
        throwing.set(false);
        List<Permit> two = take(limiter, 9);
        assertEquals(2, two.size());
        throwing.set(true);
        two.forEach(Permit::close);
        throwing.set(false);
        assertEquals(2, limiter.counts().failures());
        assertEquals(0, limiter.snapshot().inFlight(), "all other members are released");
    }

    private record Faulty(AtomicBoolean throwing) implements Strategy {
        @Override
        public long acquire(Request request) {
            trip();
            return GRANTED;
        }

        @Override
        public void release(Request request, Outcome outcome) {
            trip();
        }

        private void trip() {
            if (throwing.get()) {
                throw new StackOverflowError("as deep as it goes");
            }
        }

        @Override
        public long limit() {
            return Long.MAX_VALUE;
        }

        @Override
        public void setLimit(long limit) {}
    }

    @Test
    void membersThatRouteByKeyAreRoutedOnceARequest() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(time, new Semaphore(5), new PerKey(new Semaphore(2)));
        Permit a = assertInstanceOf(Permit.class, limiter.tryAcquire(Request.forKey("a")));
        assertInstanceOf(Permit.class, limiter.tryAcquire(Request.forKey("a")));
        assertEquals(Reason.CONCURRENCY, refused(limiter, Request.forKey("a")).reason());
        assertEquals(2, refused(limiter, Request.forKey("a")).limit());
        assertInstanceOf(Permit.class, limiter.tryAcquire(Request.forKey("b")));
        assertInstanceOf(Permit.class, limiter.tryAcquire(Request.forKey("b")));
        assertInstanceOf(Permit.class, limiter.tryAcquire(Request.forKey("c")));
        assertEquals(5, refused(limiter, Request.forKey("d")).limit());
        limiter.reconfigure(AllOf.of(new Semaphore(6), new PerKey(new Semaphore(1))));
        a.close(); // to the strategy that granted it, not to the present one of its key
        assertEquals(4, limiter.snapshot().inFlight());
    }

    /** The smallest strategy by key. */
    private record PerKey(StrategySpec each) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            Map<Object, Strategy> byKey = new ConcurrentHashMap<>();
            return new PartStrategy() {
                @Override
                public boolean routes() {
                    return true;
                }

                @Override
                public Strategy route(Request request) {
                    return byKey.computeIfAbsent(String.valueOf(request.key()), key -> each.create(ticker));
                }

                @Override
                public long acquire(Request request) {
                    return route(request).acquire(request);
                }

                @Override
                public long limit() {
                    return each.create(ticker).limit();
                }

                @Override
                public void setLimit(long limit) {
                    throw new UnsupportedOperationException();
                }
            };
        }
    }

    @Test
    void S1_S2_allOrNothingAsTheModelOverAnyScript() {
        Seed.forAll(300, random -> {
            long a = random.nextLong(1, 12);
            long b = random.nextLong(1, 12);
            long tokens = random.nextLong(1, 60);
            ManagedLimiter limiter =
                    limiter(new VirtualTime(), new Semaphore(a), new Semaphore(b), TokenBucket.of(tokens, SECOND));
            long max = Math.min(tokens, Math.min(a, b));
            long held = 0;
            Deque<Permit> out = new ArrayDeque<>();
            Deque<Request> requests = new ArrayDeque<>();
            for (int step = 0; step < 200; step++) {
                if (random.nextInt(3) == 0 && !out.isEmpty()) {
                    Outcome outcome = Seed.oneOf(random, Outcome.values());
                    out.remove().release(outcome);
                    Request released = requests.remove();
                    held -= released.permits();
                    tokens += outcome == Outcome.CANCELLED && released.isRefundable() ? released.permits() : 0;
                    continue;
                }
                long permits = random.nextLong(1, 8);
                Request request = random.nextBoolean()
                        ? Request.of(permits)
                        : Request.of(permits).refundable();
                Decision decision = limiter.tryAcquire(request);
                if (held + permits <= Math.min(a, b) && permits <= tokens && permits <= max) {
                    out.add(assertInstanceOf(Permit.class, decision));
                    requests.add(request);
                    held += permits;
                    tokens -= permits;
                } else {
                    Reason expected = permits > max
                            ? Reason.NEVER
                            : held + permits > Math.min(a, b) ? Reason.CONCURRENCY : Reason.RATE;
                    assertEquals(
                            expected,
                            assertInstanceOf(Rejection.class, decision).reason());
                }
                assertEquals(held, limiter.snapshot().inFlight());
            }
        });
    }

    /** A rejection must be caused by granted permits, not by a request that is itself being refused. */
    @Test
    void S3_noRequestIsRefusedBecauseOfOneThatIsUndone() throws Exception {
        ManagedLimiter limiter =
                Limiters.of("all", AllOf.of(new Semaphore(1), new Partitioned(4, Map.of("idle", 99), 0)));
        AtomicBoolean done = new AtomicBoolean();
        Thread hopeless = new Thread(() -> {
            while (!done.get()) {
                assertInstanceOf(Rejection.class, limiter.tryAcquire(asked("hopeless", 1)));
            }
        });
        Permit common = assertInstanceOf(Permit.class, limiter.tryAcquire(asked("common", 1)));
        common.close();
        limiter.reconfigure(AllOf.of(new Semaphore(1), new Partitioned(4, Map.of("idle", 100), 0)));
        hopeless.start();
        AtomicLong refused = new AtomicLong();
        for (int i = 0; i < 100_000; i++) {
            if (limiter.tryAcquire(asked("idle", 1)) instanceof Permit permit) {
                permit.close();
            } else {
                refused.incrementAndGet();
            }
        }
        done.set(true);
        hopeless.join();
        assertEquals(0, refused.get());
    }

    @Test
    void W1_membersOfTheSameShapeAreAdjustedInPlace() {
        VirtualTime time = new VirtualTime();
        StrategySpec from = AllOf.of(new Semaphore(5), TokenBucket.of(5, SECOND));
        PartStrategy running = Parts.create(from, time);
        assertEquals(Strategy.GRANTED, running.acquire(Request.of(4)));
        assertSame(
                running, Traffic.changed(from, running, AllOf.of(new Semaphore(6), TokenBucket.of(7, SECOND)), time));
        assertEquals(6, running.limit());
        assertEquals(4, running.inFlight());
        assertTrue(running.acquire(Request.of(3)) > 0, "4 in flight of 6");
        running.release(Request.of(4), Outcome.SUCCESS);
        assertTrue(running.acquire(Request.of(4)) > 0, "4 used of 7: 3 are left");
        assertEquals(Strategy.GRANTED, running.acquire(Request.of(3)));
    }

    @Test
    void W1_W6_otherMembersContinueEqualThenSimilarThenLikeMembers() {
        VirtualTime time = new VirtualTime();
        StrategySpec from = AllOf.of(new Semaphore(10), new Semaphore(100), TokenBucket.of(5, SECOND));
        PartStrategy running = Parts.create(from, time);
        assertEquals(Strategy.GRANTED, running.acquire(Request.of(4)));
        // The equal semaphore and the bucket stay, in another order; the counter is new.
        PartStrategy next = Traffic.changed(
                from, running, AllOf.of(TokenBucket.of(5, SECOND), new Semaphore(100), new Counter(10)), time);
        assertNotSame(running, next);
        assertEquals(
                Map.of(
                        "0.limit",
                        5L,
                        "0.inFlight",
                        0L,
                        "1.limit",
                        100L,
                        "1.inFlight",
                        4L,
                        "2.limit",
                        10L,
                        "2.inFlight",
                        4L),
                next.details());
        running.release(Request.of(4), Outcome.SUCCESS);
        assertEquals(0, next.inFlight());
        assertEquals(Strategy.GRANTED, next.acquire(Request.ONE)); // the last of 5 tokens
        assertTrue(next.acquire(Request.ONE) > 0);
    }

    @Test
    void W1_W6_oneLimitBecomesSeveralAndSeveralOne() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter =
                Limiters.builder("all", new Semaphore(3)).ticker(time).build();
        List<Permit> out = take(limiter, 2);
        limiter.reconfigure(AllOf.of(TokenBucket.of(100, SECOND), new Semaphore(3)));
        assertEquals(2, limiter.snapshot().inFlight());
        out.addAll(take(limiter, 9));
        assertEquals(3, out.size());
        limiter.reconfigure(new Counter(4));
        assertEquals(3, limiter.snapshot().inFlight());
        out.addAll(take(limiter, 9));
        assertEquals(4, out.size());
        out.forEach(Permit::close);
        Oracle.assertCapacity(4, limiter);
    }

    @Test
    void R3_refusesNoMembersAndTooMany() {
        assertEquals(
                "limits.size() must be >= 1 and <= 64, was 0",
                assertThrows(IllegalArgumentException.class, AllOf::of).getMessage());
        List<StrategySpec> many = new ArrayList<>(java.util.Collections.nCopies(65, new Semaphore(1)));
        assertThrows(IllegalArgumentException.class, () -> new AllOf(many));
        ManagedLimiter max = Limiters.of("all", new AllOf(many.subList(0, 64)));
        assertInstanceOf(Permit.class, max.tryAcquire());
        assertFalse(max.tryAcquire() instanceof Permit);
    }

    @Test
    void anotherLimitIsThatOfTheFirstMember() {
        VirtualTime time = new VirtualTime();
        AllOf both = AllOf.of(new Semaphore(3), TokenBucket.of(100, SECOND));
        for (StrategySpec spec : List.of(both, WarmUp.of(both, SECOND))) {
            ManagedLimiter fresh = Limiters.builder("all", Parts.of(spec).withLimit(5))
                    .ticker(time)
                    .build();
            time.advance(2 * SECOND.toNanos());
            assertEquals(5, take(fresh, 50).size());
        }
        ManagedLimiter running = limiter(time, both.limits().toArray(StrategySpec[]::new));
        List<Permit> held = take(running, 50);
        assertEquals(3, held.size());
        running.reconfigure(both.withLimit(5));
        assertEquals(2, take(running, 50).size());
        running.reconfigure(both.withLimit(4));
        held.forEach(Permit::close);
        assertEquals(2, take(running, 50).size());
        assertEquals(4, running.inFlight());
        running.reconfigure(Parts.of(both.withLimit(9)).withLimit(6));
        assertEquals(2, take(running, 50).size());
        running.reconfigure(both);
        assertEquals(0, take(running, 50).size());
        assertEquals(6, running.inFlight());
    }

    @Test
    void anotherLimitOfOneMember() {
        ManagedLimiter one = Limiters.of("all", AllOf.of(new Semaphore(3)));
        assertEquals(3, take(one, 50).size());
        one.reconfigure(AllOf.of(new Semaphore(3)).withLimit(5));
        assertEquals(2, take(one, 50).size());
    }

    private static ManagedLimiter limiter(VirtualTime time, StrategySpec... members) {
        return Limiters.builder("all", AllOf.of(members)).ticker(time).build();
    }

    private static Request asked(Object key, long permits) {
        return new Request(permits, 0, key, Request.NO_DEADLINE);
    }

    private static Rejection refused(ManagedLimiter limiter, Request request) {
        return assertInstanceOf(Rejection.class, limiter.tryAcquire(request));
    }

    private static List<Permit> take(ManagedLimiter limiter, int atMost) {
        List<Permit> taken = new ArrayList<>();
        while (taken.size() < atMost && limiter.tryAcquire() instanceof Permit permit) {
            taken.add(permit);
        }
        return taken;
    }
}
