package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.RampCurve;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Permits in flight stay counted over every swap between concurrency limits. */
@Tag("property")
class HandOverTest {
    private static StrategySpec anySpec(SplittableRandom random, long limit) {
        StrategySpec semaphore = new Semaphore(limit);
        return Seed.oneOf(
                random,
                semaphore,
                new Counter(limit),
                new Partitioned(limit, Map.of("a", 30, "b", 20), random.nextInt(101)),
                PriorityShedding.of(limit, 10, 60),
                AllOf.of(semaphore, TokenBucket.of(1 << 20, Duration.ofSeconds(1))),
                new WarmUp(semaphore, Duration.ofSeconds(9), 10, RampCurve.LINEAR, null),
                WarmUp.of(new Partitioned(limit, Map.of("a", 50), 0), Duration.ofSeconds(9)),
                WarmUp.of(AllOf.of(new Counter(limit)), Duration.ofSeconds(9)));
    }

    @Test
    void S1_S2_S11_W1_inFlightSurvivesAnySwapAndTheBoundHolds() {
        Seed.forAll(300, random -> {
            long limit = random.nextLong(1, 20);
            VirtualTime time = new VirtualTime();
            ManagedLimiter limiter = Limiters.builder("swapped", anySpec(random, limit))
                    .ticker(time)
                    .build();
            Deque<Permit> out = new ArrayDeque<>();
            for (int step = 0; step < 200; step++) {
                switch (random.nextInt(6)) {
                    case 0 -> {
                        limit = random.nextLong(1, 20);
                        limiter.reconfigure(anySpec(random, limit));
                    }
                    case 1, 2 -> {
                        if (!out.isEmpty()) {
                            Permit permit = random.nextBoolean() ? out.removeFirst() : out.removeLast();
                            assertTrue(permit.release(Seed.oneOf(random, Outcome.values())));
                        }
                    }
                    default -> {
                        Request request =
                                new Request(1, random.nextInt(4), Seed.oneOf(random, "a", "b", "c"), Long.MAX_VALUE);
                        if (limiter.tryAcquire(request) instanceof Permit permit) {
                            out.add(permit);
                            assertTrue(out.size() <= limit, "admitted above the limit");
                        }
                    }
                }
                time.advance(random.nextLong(50_000_000));
                assertEquals(out.size(), limiter.snapshot().inFlight());
            }
            out.forEach(Permit::close);
            limiter.reconfigure(new Semaphore(limit));
            Oracle.assertCapacity(limit, limiter);
        });
    }

    @Test
    void S1_S11_W1_threadsStayWithinTheLimitWhileItIsSwapped() throws Exception {
        long limit = 3;
        ManagedLimiter limiter = Limiters.of("swapped", new Semaphore(limit));
        AtomicBoolean done = new AtomicBoolean();
        AtomicLong inside = new AtomicLong();
        AtomicLong max = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (String key : List.of("a", "b", "c", "d")) {
            Thread thread = new Thread(() -> {
                while (!done.get()) {
                    if (limiter.tryAcquire(Request.forKey(key)) instanceof Permit permit) {
                        max.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        inside.decrementAndGet();
                        permit.close();
                    }
                }
            });
            thread.start();
            threads.add(thread);
        }
        SplittableRandom random = new SplittableRandom(7);
        for (int swap = 0; swap < 20_000; swap++) {
            limiter.reconfigure(anySpec(random, limit));
        }
        done.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        assertTrue(max.get() <= limit, () -> max + " inside at once");
        assertEquals(0, limiter.snapshot().inFlight());
        limiter.reconfigure(new Semaphore(limit));
        Oracle.assertCapacity(limit, limiter);
    }

    @Test
    void S1_aPermitThatIsHeldThroughManyThousandSwapsIsReleased() {
        ManagedLimiter limiter = Limiters.of("swapped", new Semaphore(3));
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        for (int swap = 0; swap < 50_000; swap++) {
            limiter.reconfigure(swap % 2 == 0 ? new Counter(3) : new Semaphore(3));
        }
        assertTrue(held.release(Outcome.SUCCESS));
        assertEquals(0, limiter.snapshot().inFlight());
        Oracle.assertCapacity(3, limiter);
    }

    @Test
    void W1_permitsInFlightStayCountedWhileARateIsInForce() {
        ManagedLimiter limiter = Limiters.of("swapped", new Semaphore(2));
        Permit old = assertInstanceOf(Permit.class, limiter.tryAcquire());
        limiter.reconfigure(TokenBucket.of(5, Duration.ofDays(1)));
        limiter.reconfigure(new Semaphore(1));
        assertInstanceOf(Rejection.class, limiter.tryAcquire(), "one is in flight");
        old.close();
        assertInstanceOf(Permit.class, limiter.tryAcquire());
        assertInstanceOf(Rejection.class, limiter.tryAcquire());
    }
}
