package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Oracle.Grant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * What every strategy promises. Extend it, return your specification, and have the whole contract run against it, as a
 * limiter sees it. A strategy that {@linkplain dev.weir.spi.Traits#holds() holds} is tested as a concurrency limit, any other as a
 * rate; a rate says with {@link #mostWithin} what it promises.
 */
public abstract class StrategyContract {
    /** Readings a clock may start at, the last ones about to wrap. */
    private static final long[] ORIGINS = {0, -1, 1, Long.MAX_VALUE - 5, Long.MIN_VALUE, Long.MAX_VALUE - 3_000_000_000L
    };

    /** For the test class that extends it. */
    protected StrategyContract() {}

    /** The specification under test, with this limit. A rate's limit is per {@link #period}. */
    protected abstract StrategySpec spec(long limit);

    /** For a rate: the most permits it grants in any half-open window of so many nanoseconds. */
    protected long mostWithin(long windowNanos, long limit) {
        throw new UnsupportedOperationException("a rate must say what it promises");
    }

    /** For a rate: nanoseconds in which {@code limit} permits come back. */
    protected long period() {
        return 1_000_000_000L;
    }

    /** Whether a request may weigh several permits. */
    protected boolean weighs() {
        return true;
    }

    /** A request as the strategy wants it: with a key, a priority. */
    protected Request request(long permits) {
        return Request.of(permits);
    }

    @Test
    final void S10_R3_refusesALimitBelowOne() {
        for (long bad : new long[] {0, -1, Long.MIN_VALUE}) {
            String told = "" + assertThrows(IllegalArgumentException.class, () -> spec(bad));
            assertTrue(told.contains(" must be ") && told.endsWith("was " + bad), told);
        }
    }

    @Test
    final void C1_aBadLimitLeavesTheLastGoodOneInForce() {
        Strategy strategy = spec(7).create(new VirtualTime());
        for (long bad : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThrows(IllegalArgumentException.class, () -> strategy.setLimit(bad));
        }
        assertEquals(7, strategy.limit());
    }

    @Test
    final void W4_specsAreComparedByValueAndAnEqualOneChangesNothing() {
        assertEquals(spec(7), spec(7));
        ManagedLimiter limiter = limiter(7, new VirtualTime());
        StrategySpec first = limiter.spec();
        limiter.dial().setLimit(9);
        limiter.reconfigure(spec(7));
        assertSame(first, limiter.spec());
        assertEquals(9, limiter.dial().limit());
    }

    @Test
    final void S14_R5_anOversizeRequestIsRefusedForGoodAndCostsNothing() {
        ManagedLimiter limiter = limiter(5, new VirtualTime());
        Decision decision = limiter.tryAcquire(request(Long.MAX_VALUE));
        assertEquals(
                Rejection.Reason.NEVER,
                assertInstanceOf(Rejection.class, decision).reason());
        assertTrue(limiter.tryAcquire(request(1)) instanceof Permit);
    }

    @Test
    final void theDialTurnsTheLimit() {
        ManagedLimiter limiter = limiter(5, new VirtualTime());
        assertEquals(5, limiter.dial().limit());
        limiter.dial().setLimit(11);
        assertEquals(11, limiter.dial().limit());
        assertEquals(11, limiter.snapshot().limit());
        limiter.reconfigure(spec(3));
        assertEquals(3, limiter.dial().limit());
    }

    @Test
    final void S2_S13_capacityIsConservedOverAnyHistory() {
        assumeTrue(holds());
        Seed.forAll(200, random -> {
            long limit = random.nextLong(1, 20);
            ManagedLimiter limiter = limiter(limit, new VirtualTime());
            Deque<Permit> out = new ArrayDeque<>();
            for (int step = 0; step < 200; step++) {
                limit = step(limiter, out, limit, random);
            }
            out.forEach(permit -> assertTrue(permit.release(Outcome.SUCCESS)));
            out.forEach(permit -> assertFalse(permit.release(Outcome.SUCCESS)));
            assertEquals(0, limiter.snapshot().inFlight());
            assertCapacity(limit, limiter);
        });
    }

    private long step(ManagedLimiter limiter, Deque<Permit> out, long limit, SplittableRandom random) {
        switch (random.nextInt(5)) {
            case 0, 1 -> {
                long held = limiter.snapshot().inFlight();
                if (limiter.tryAcquire(request(1)) instanceof Permit permit) {
                    assertTrue(held < limit, () -> "admitted at " + held + " of " + limit);
                    out.add(permit);
                }
            }
            case 2, 3 -> {
                if (!out.isEmpty()) {
                    Permit permit = random.nextBoolean() ? out.pollFirst() : out.pollLast();
                    assertTrue(permit.release(Seed.oneOf(random, Outcome.values())));
                    permit.close();
                }
            }
            default -> {
                long changed = random.nextLong(1, 20);
                if (random.nextBoolean()) {
                    limiter.dial().setLimit(changed);
                } else {
                    limiter.reconfigure(spec(changed));
                    limiter.dial().setLimit(changed);
                }
                return changed;
            }
        }
        return limit;
    }

    @Test
    final void S9_belowInFlightNothingIsAdmittedUntilItHasDrained() {
        assumeTrue(holds());
        ManagedLimiter limiter = limiter(4, new VirtualTime());
        List<Permit> out = takeAll(limiter, 5);
        assertEquals(4, out.size());
        limiter.dial().setLimit(2);
        assertEquals(4, limiter.snapshot().inFlight());
        for (int home = 0; home < 3; home++) {
            assertInstanceOf(Rejection.class, limiter.tryAcquire(request(1)));
            out.get(home).close();
        }
        assertInstanceOf(Permit.class, limiter.tryAcquire(request(1)));
        assertInstanceOf(Rejection.class, limiter.tryAcquire(request(1)));
    }

    @Test
    final void S1_S2_threadsNeverExceedTheLimit() throws Exception {
        assumeTrue(holds());
        int limit = 3;
        ManagedLimiter limiter = limiter(limit, new VirtualTime());
        AtomicLong inside = new AtomicLong();
        AtomicLong most = new AtomicLong();
        inParallel(4, () -> {
            for (int i = 0; i < 20_000; i++) {
                if (limiter.tryAcquire(request(1)) instanceof Permit permit) {
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    inside.decrementAndGet();
                    permit.close();
                }
            }
        });
        assertTrue(most.get() <= limit, () -> most + " inside at once");
        assertCapacity(limit, limiter);
    }

    @Test
    final void R1_R4_noWindowHoldsMoreThanPromisedWhereverTheClockStarts() {
        assumeFalse(holds());
        Seed.forAll(60, random -> {
            long limit = random.nextLong(1, 30);
            VirtualTime time = new VirtualTime(ORIGINS[random.nextInt(ORIGINS.length)]);
            ManagedLimiter limiter = limiter(limit, time);
            List<Grant> grants = new ArrayList<>();
            long start = time.read();
            for (int step = 0; step < 2_000; step++) {
                long permits = weighs() && random.nextInt(4) == 0 ? random.nextLong(1, limit + 1) : 1;
                if (limiter.tryAcquire(request(permits)) instanceof Permit) {
                    grants.add(new Grant(time.read() - start, permits));
                }
                time.advance(pause(random, limit));
            }
            for (long window : new long[] {1, period() / limit, period() - 1, period(), period() + 1, 3 * period()}) {
                Oracle.assertWindow(grants, Math.max(1, window), mostWithin(Math.max(1, window), limit));
            }
        });
    }

    private long pause(SplittableRandom random, long limit) {
        return switch (random.nextInt(6)) {
            case 0 -> 1;
            case 1 -> period() / limit;
            case 2 -> random.nextLong(period());
            case 3 -> random.nextLong(2 * period() / limit + 1);
            default -> 0;
        };
    }

    @Test
    final void R2_R3_theWaitIsNeverNegativeAndHonest() {
        assumeFalse(holds());
        Seed.forAll(60, random -> {
            long limit = random.nextLong(1, 30);
            VirtualTime time = new VirtualTime(ORIGINS[random.nextInt(ORIGINS.length)]);
            ManagedLimiter limiter = limiter(limit, time);
            for (int step = 0; step < 200; step++) {
                if (limiter.tryAcquire(request(1)) instanceof Rejection rejection) {
                    assertEquals(Rejection.Reason.RATE, rejection.reason());
                    assertTrue(rejection.retryAfterNanos() > 0, "a rate knows when");
                    time.advance(rejection.retryAfterNanos() - 1);
                    assertInstanceOf(Rejection.class, limiter.tryAcquire(request(1)), "one nanosecond early");
                    time.advance(1);
                    assertInstanceOf(Permit.class, limiter.tryAcquire(request(1)), "when it said");
                }
                time.advance(random.nextLong(period() / limit + 1));
            }
        });
    }

    @Test
    final void R8_threadsAtOneInstantGetExactlyWhatIsThere() throws Exception {
        assumeFalse(holds());
        VirtualTime time = new VirtualTime();
        ManagedLimiter alone = limiter(10, time);
        long expected = takeAll(alone, 1_000).size();
        ManagedLimiter limiter = limiter(10, time);
        AtomicLong granted = new AtomicLong();
        inParallel(4, () -> {
            for (int i = 0; i < 1_000; i++) {
                if (limiter.tryAcquire(request(1)) instanceof Permit) {
                    granted.incrementAndGet();
                }
            }
        });
        assertEquals(expected, granted.get());
    }

    @Test
    final void W5_turningTheLimitAtOneInstantMintsNothing() {
        assumeFalse(holds());
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(10, time);
        long granted = 0;
        for (int change = 0; change < 1_000; change++) {
            granted += takeAll(limiter, 100).size();
            limiter.reconfigure(spec(change % 2 == 0 ? 11 : 10));
        }
        long most = granted;
        assertTrue(most <= Math.max(mostWithin(1, 10), mostWithin(1, 11)), () -> most + " granted at one instant");
    }

    private boolean holds() {
        return spec(1).create(new VirtualTime()).traits().holds();
    }

    private ManagedLimiter limiter(long limit, VirtualTime time) {
        return Limiters.builder("contract", spec(limit)).ticker(time).build();
    }

    private List<Permit> takeAll(ManagedLimiter limiter, int atMost) {
        List<Permit> taken = new ArrayList<>();
        while (taken.size() < atMost && limiter.tryAcquire(request(1)) instanceof Permit permit) {
            taken.add(permit);
        }
        return taken;
    }

    private void assertCapacity(long expected, ManagedLimiter limiter) {
        for (int again = 0; again < 2; again++) {
            List<Permit> taken = takeAll(limiter, (int) expected + 1);
            assertEquals(expected, taken.size(), "capacity, counted from outside");
            taken.forEach(Permit::close);
        }
    }

    private static void inParallel(int threads, Runnable work) throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(threads);
        List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> {
                ready.countDown();
                try {
                    ready.await();
                    work.run();
                } catch (Throwable t) {
                    failures.add(t);
                }
            });
            thread.start();
            all.add(thread);
        }
        for (Thread thread : all) {
            thread.join();
        }
        assertEquals(List.of(), failures);
    }
}
