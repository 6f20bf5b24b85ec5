package dev.weir.verification.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A concurrency limit of an author, which implements no more than the SPI asks for, among the limits of Weir. */
@Tag("property")
class AuthorsLimitTest {
    /** The least that a concurrency limit can be. */
    private record Few(long limit, AtomicBoolean fails) implements StrategySpec {
        Few(long limit) {
            this(limit, new AtomicBoolean());
        }

        @Override
        public Strategy create(Ticker ticker) {
            AtomicLong inUse = new AtomicLong();
            AtomicLong most = new AtomicLong(limit);
            return new Strategy() {
                @Override
                public long acquire(Request request) {
                    if (fails.get()) {
                        throw new IllegalStateException("as told");
                    }
                    long permits = request.permits();
                    if (permits > most.get()) {
                        return NEVER;
                    }
                    long before = inUse.getAndUpdate(now -> now + permits > most.get() ? now : now + permits);
                    return before + permits > most.get() ? UNTIL_RELEASE : GRANTED;
                }

                @Override
                public void release(Request request, Outcome outcome) {
                    inUse.addAndGet(-request.permits());
                }

                @Override
                public long limit() {
                    return most.get();
                }

                @Override
                public void setLimit(long next) {
                    most.set(next);
                }
            };
        }
    }

    private static List<Permit> taken(int atMost, ManagedLimiter limiter, Request request) {
        List<Permit> permits = new ArrayList<>();
        while (permits.size() < atMost && limiter.tryAcquire(request) instanceof Permit permit) {
            permits.add(permit);
        }
        return permits;
    }

    private static int taken(ManagedLimiter limiter) {
        return taken(100, limiter, Request.ONE).size();
    }

    private static List<Permit> take(ManagedLimiter limiter, int permits) {
        List<Permit> held = taken(permits, limiter, Request.ONE);
        assertEquals(permits, held.size());
        return held;
    }

    @Test
    void W2_itsSuccessorCountsWhatItHasInFlight() {
        for (StrategySpec next : List.of(new Semaphore(3), new Few(3), AllOf.of(new Few(3), new Semaphore(9)))) {
            ManagedLimiter limiter = Limiters.of("few", new Few(5));
            List<Permit> held = take(limiter, 2);
            limiter.reconfigure(next);
            assertEquals(2, limiter.inFlight());
            assertEquals(1, taken(limiter), () -> "beside two of before, by " + next);
            held.forEach(Permit::close);
            assertEquals(2, taken(limiter), () -> "in the place of two of before, by " + next);
            assertEquals(3, limiter.inFlight());
        }
    }

    @Test
    void W2_itCountsWhatItsPredecessorHasInFlight() {
        for (StrategySpec first : List.of(new Semaphore(5), new Few(5), AllOf.of(new Few(7), new Semaphore(9)))) {
            ManagedLimiter limiter = Limiters.of("few", first);
            List<Permit> held = take(limiter, 2);
            limiter.reconfigure(new Few(3));
            assertEquals(1, taken(limiter), () -> "beside two by " + first);
            assertTrue(limiter.tryAcquire() instanceof Rejection refused
                    && refused.reason() == Rejection.Reason.CONCURRENCY
                    && refused.retryAfterNanos() == 0);
            assertTrue(limiter.tryAcquire(Request.of(4)) instanceof Rejection refused
                    && refused.reason() == Rejection.Reason.NEVER);
            limiter.dial().setLimit(4);
            assertEquals(1, taken(limiter), "of a limit that was raised");
            held.forEach(Permit::close);
            assertEquals(2, taken(limiter), () -> "in the place of two by " + first);
        }
    }

    @Test
    void W2_permitsSurviveARateInBetween() {
        ManagedLimiter limiter = Limiters.of("few", new Few(2));
        List<Permit> held = take(limiter, 2);
        limiter.reconfigure(TokenBucket.of(100, Duration.ofSeconds(1)));
        assertEquals(2, limiter.inFlight());
        limiter.reconfigure(new Few(2, new AtomicBoolean()));
        assertEquals(0, taken(limiter));
        held.forEach(Permit::close);
        assertEquals(2, taken(limiter));
    }

    @Test
    void itIsALimitOfEachKey() {
        ManagedLimiter limiter = Limiters.of("few", Keyed.of(new Few(2), 10));
        Request a = Request.forKey("a");
        Permit held = (Permit) limiter.tryAcquire(a);
        limiter.reconfigure(Keyed.of(new Semaphore(2), 10));
        assertEquals(1, taken(9, limiter, a).size());
        limiter.reconfigure(Keyed.of(new Few(3), 10));
        assertEquals(1, taken(9, limiter, a).size());
        held.close();
        assertEquals(1, taken(9, limiter, a).size());
        assertEquals(3, limiter.inFlight());
    }

    /** A rate of an author that does not adjust. */
    private record Own(StrategySpec inner) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            return inner.create(ticker);
        }
    }

    @Test
    void W4_anEqualLimitOfEachKeyKeepsItsStrategies() {
        VirtualTime time = new VirtualTime();
        Own own = new Own(new FirstHitQuota(5, Duration.ofMinutes(15)));
        ManagedLimiter limiter =
                Limiters.builder("own", Keyed.of(own, 100)).ticker(time).build();
        Request key = Request.forKey("key");
        assertEquals(5, taken(9, limiter, key).size());
        time.advance(Duration.ofMinutes(14));
        limiter.reconfigure(Keyed.of(own, 200));
        time.advance(Duration.ofMinutes(1));
        assertEquals(5, taken(9, limiter, key).size(), "its window has ended");
    }

    @Test
    void S15_whatItThrowsLosesNothing() {
        Few faulty = new Few(3);
        ManagedLimiter limiter = Limiters.of("few", new Semaphore(3));
        List<Permit> held = take(limiter, 1);
        limiter.reconfigure(faulty);
        faulty.fails.set(true);
        assertThrows(IllegalStateException.class, limiter::tryAcquire);
        faulty.fails.set(false);
        assertEquals(2, taken(limiter));
        held.forEach(Permit::close);
        assertEquals(1, taken(limiter));
    }

    @Test
    void W2_overAnyChangesNoMoreAreInFlightThanTheLimitWhenOneIsGranted() {
        Seed.forAll(2_000, random -> {
            long limit = random.nextLong(1, 6);
            ManagedLimiter limiter = Limiters.of("any", any(random, limit));
            Deque<Permit> held = new ArrayDeque<>();
            for (int step = 0; step < 60; step++) {
                switch (random.nextInt(5)) {
                    case 0 -> {
                        limit = random.nextLong(1, 6);
                        limiter.reconfigure(any(random, limit));
                    }
                    case 1, 2 -> {
                        if (!held.isEmpty()) {
                            assertTrue((random.nextBoolean() ? held.pollFirst() : held.pollLast())
                                    .release(Seed.oneOf(random, Outcome.values())));
                        }
                    }
                    default -> {
                        boolean granted = limiter.tryAcquire() instanceof Permit permit && held.add(permit);
                        int inFlight = held.size();
                        long most = limit;
                        assertEquals(inFlight - (granted ? 1 : 0) < most, granted, () -> inFlight + " of " + most);
                    }
                }
                assertEquals(held.size(), limiter.inFlight());
            }
        });
    }

    private static StrategySpec any(SplittableRandom random, long limit) {
        return switch (random.nextInt(4)) {
            case 0 -> new Semaphore(limit);
            case 1 -> AllOf.of(new Few(limit), new Semaphore(limit + 1));
            case 2 -> AllOf.of(new Semaphore(limit), new Few(limit + random.nextInt(2)));
            default -> new Few(limit);
        };
    }

    /** The releases of the permits of before come while others are granted. */
    @Test
    void S1_S2_whilePermitsOfBeforeDrainTheLimitHolds() throws Exception {
        int limit = 4;
        ExecutorService pool = Executors.newFixedThreadPool(4);
        for (int round = 0; round < 30; round++) {
            ManagedLimiter limiter = Limiters.of("few", new Semaphore(limit));
            Deque<Permit> before = new ConcurrentLinkedDeque<>(take(limiter, limit));
            limiter.reconfigure(new Few(limit));
            AtomicInteger inside = new AtomicInteger(limit);
            AtomicInteger max = new AtomicInteger();
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                running.add(pool.submit(() -> drain(limiter, before, inside, max)));
            }
            for (Future<?> each : running) {
                each.get();
            }
            assertTrue(max.get() <= limit, () -> max + " inside at once");
            before.forEach(Permit::close);
            assertEquals(0, limiter.inFlight());
            assertEquals(limit, taken(limiter));
        }
        pool.shutdown();
    }

    private static void drain(ManagedLimiter limiter, Deque<Permit> before, AtomicInteger inside, AtomicInteger max) {
        for (int i = 0; i < 500; i++) {
            Permit old = i % 50 == 49 ? before.poll() : null;
            if (old != null) {
                inside.decrementAndGet();
                old.close();
            }
            if (limiter.tryAcquire() instanceof Permit permit) {
                max.accumulateAndGet(inside.incrementAndGet(), Math::max);
                inside.decrementAndGet();
                permit.close();
            }
        }
    }

    @Test
    void aPermitOfBeforeWakesThoseThatWait() {
        ManagedLimiter limiter = Limiters.of("few", new Semaphore(1));
        Permit held = take(limiter, 1).get(0);
        limiter.reconfigure(new Few(1));
        List<Permit> granted = new ArrayList<>();
        assertNotNull(limiter.whenCapacity(() -> {
            if (limiter.attempt(Request.ONE) instanceof Permit permit) {
                granted.add(permit);
            }
        }));
        assertFalse(limiter.attempt(Request.ONE) instanceof Permit);
        held.close();
        assertEquals(1, granted.size());
    }
}
