package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.engine.ManagedLimiter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** The checks of {@link StrategyContract} of a strategy that holds permits. */
final class ConcurrencyProperties {
    private static final int MAX_LIMIT = 20;

    private final TestedStrategy tested;
    private final Supplier<Request> one;

    ConcurrencyProperties(TestedStrategy tested) {
        this.tested = tested;
        this.one = () -> tested.request(1);
    }

    void capacityIsConservedOverAnyHistory() {
        Seed.forAll(200, random -> {
            long limit = random.nextLong(1, MAX_LIMIT);
            ManagedLimiter limiter = tested.limiter(limit, new VirtualTime());
            Deque<Permit> held = new ArrayDeque<>();
            for (int step = 0; step < 200; step++) {
                switch (random.nextInt(5)) {
                    case 0, 1 -> acquire(limiter, held, limit);
                    case 2, 3 -> release(held, random);
                    default -> limit = change(limiter, random);
                }
            }
            held.forEach(permit -> assertTrue(permit.release(Outcome.SUCCESS)));
            held.forEach(permit -> assertFalse(permit.release(Outcome.SUCCESS)));
            assertEquals(0, limiter.snapshot().inFlight());
            Oracle.assertCapacity(limit, limiter, one);
        });
    }

    private void acquire(ManagedLimiter limiter, Deque<Permit> held, long limit) {
        long before = limiter.snapshot().inFlight();
        if (limiter.tryAcquire(one.get()) instanceof Permit permit) {
            assertTrue(before < limit, () -> "admitted at " + before + " of " + limit);
            held.add(permit);
        }
    }

    private static void release(Deque<Permit> held, SplittableRandom random) {
        if (!held.isEmpty()) {
            Permit permit = random.nextBoolean() ? held.pollFirst() : held.pollLast();
            assertTrue(permit.release(Seed.oneOf(random, Outcome.values())));
            permit.close();
        }
    }

    private long change(ManagedLimiter limiter, SplittableRandom random) {
        long limit = random.nextLong(1, MAX_LIMIT);
        if (!random.nextBoolean()) {
            limiter.reconfigure(tested.spec(limit));
        }
        limiter.dial().setLimit(limit);
        return limit;
    }

    void nothingIsAdmittedBelowInFlight() {
        ManagedLimiter limiter = tested.limiter(4, new VirtualTime());
        List<Permit> held = Oracle.takeAll(5, limiter, one);
        assertEquals(4, held.size());
        limiter.dial().setLimit(2);
        assertEquals(4, limiter.snapshot().inFlight());
        for (int released = 0; released < 3; released++) {
            assertInstanceOf(Rejection.class, limiter.tryAcquire(one.get()));
            held.get(released).close();
        }
        assertInstanceOf(Permit.class, limiter.tryAcquire(one.get()));
        assertInstanceOf(Rejection.class, limiter.tryAcquire(one.get()));
    }

    void threadsNeverExceedTheLimit() throws InterruptedException {
        int limit = 3;
        ManagedLimiter limiter = tested.limiter(limit, new VirtualTime());
        AtomicLong inside = new AtomicLong();
        AtomicLong max = new AtomicLong();
        Parallel.run(4, () -> {
            for (int i = 0; i < 20_000; i++) {
                if (limiter.tryAcquire(one.get()) instanceof Permit permit) {
                    max.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    inside.decrementAndGet();
                    permit.close();
                }
            }
        });
        assertTrue(max.get() <= limit, () -> max + " inside at once");
        Oracle.assertCapacity(limit, limiter, one);
    }
}
