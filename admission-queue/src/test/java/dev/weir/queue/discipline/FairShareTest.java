package dev.weir.queue.discipline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Partitioned;
import dev.weir.algorithms.PriorityShedding;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.contract.DisciplineBench;
import dev.weir.queue.contract.DisciplineContract;
import dev.weir.spi.Gate;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FairShareTest extends DisciplineContract {
    @Override
    protected DisciplineSpec spec() {
        return new FairShare(Map.of("a", 2));
    }

    private static Request of(String key, long permits) {
        return new Request(permits, 0, key, Request.NO_DEADLINE);
    }

    private static DisciplineBench waiting(DisciplineSpec spec, String keys) {
        DisciplineBench bench = DisciplineBench.of(spec);
        keys.chars().forEach(key -> bench.offer(of(Character.toString(key), 1)));
        return bench;
    }

    private static String order(DisciplineBench bench) {
        StringBuilder order = new StringBuilder();
        for (Waiter next = bench.grantNext(); next != null; next = bench.grantNext()) {
            order.append(next.request().key()).append(next.request().permits());
        }
        return order.toString();
    }

    @Test
    void subqueuesTakeTurnsByWeight() {
        assertEquals("a1b1a1b1a1b1a1", order(waiting(new FairShare(), "aaaabbb")));
        assertEquals("a1a1b1c1a1a1b1b1", order(waiting(spec(), "aaaabbbc")));
    }

    /** a saves 1, 2, 3 permits in three turns, b spends one in each. */
    @Test
    void aWideRequestSavesUp() {
        DisciplineBench bench = DisciplineBench.of(new FairShare());
        bench.offer(of("a", 3));
        bench.offer(of("a", 1));
        for (int i = 0; i < 4; i++) {
            bench.offer(of("b", 1));
        }
        assertEquals("b1b1a3b1a1b1", order(bench));
    }

    @Test
    void idleRoundsAreSkipped() {
        DisciplineBench bench = DisciplineBench.of(spec());
        bench.offer(of("a", Long.MAX_VALUE));
        bench.offer(of("b", 1L << 58));
        bench.offer(of("b", 1L << 58));
        String all = "b" + (1L << 58) + "b" + (1L << 58) + "a" + Long.MAX_VALUE;
        assertEquals(all, order(bench));
    }

    @Test
    void aWaiterThatLeavesUngrantedIsNotCharged() {
        DisciplineBench granted = waiting(new FairShare(), "aab");
        granted.grantNext();
        assertEquals("b1a1", order(granted));
        DisciplineBench left = waiting(new FairShare(), "aab");
        left.remove(left.next());
        assertEquals("a1b1", order(left));
    }

    @Test
    void aRoundGoesOnToTheNextSubqueues() {
        DisciplineBench bench = waiting(new FairShare(), "aabcc");
        List<Waiter> waiting = List.copyOf(bench.waiting);
        assertSame(waiting.get(0), bench.next());
        assertSame(waiting.get(2), bench.discipline.after(waiting.get(0)));
        bench.remove(waiting.get(2));
        assertSame(waiting.get(3), bench.discipline.after(waiting.get(2)));
        assertNull(bench.discipline.after(waiting.get(3)));
    }

    @Test
    void aPartitionThatIsFullHoldsUpItsOwnSubqueueOnly() {
        ManagedLimiter limiter = Limiters.of("limiter", new Partitioned(4, Map.of("a", 50, "b", 50), 0));
        try (AdmissionQueue queue = AdmissionQueue.builder(
                        "limiter", limiter, QueueSpec.of(10).by(new FairShare()))
                .executor(Runnable::run)
                .build()) {
            for (String key : List.of("a", "a", "b", "b")) {
                assertInstanceOf(Permit.class, acquire(queue, key).join());
            }
            CompletableFuture<Decision> ofA = acquire(queue, "a");
            CompletableFuture<Decision> ofB = acquire(queue, "b");
            assertFalse(ofA.isDone() || ofB.isDone());
            limiter.reconfigure(new Partitioned(5, Map.of("a", 40, "b", 60), 0));
            assertTrue(ofB.isDone());
            assertFalse(ofA.isDone());
        }
    }

    private static CompletableFuture<Decision> acquire(AdmissionQueue queue, String key) {
        return queue.acquireAsync(Request.forKey(key), Duration.ofDays(1));
    }

    /** While a is held up, b and c go on; b owes one permit for it, however many it got. */
    @Test
    void permitsTheOthersCouldNotUseAreOwedForATurnOnly() {
        DisciplineBench bench = waiting(new FairShare(), "aaaaabbbbbb");
        for (int i = 0; i < 4; i++) {
            bench.grant(bench.discipline.after(bench.next()));
        }
        assertEquals("a1a1b1a1b1a1a1", order(bench));
    }

    @Test
    void aFullQueueShedsTheNewestOfTheLongestSubqueue() {
        DisciplineBench bench = waiting(new FairShare(), "aaab");
        Waiter newestOfA = List.copyOf(bench.waiting).get(2);
        assertSame(newestOfA, bench.discipline.shedFor(bench.waiter(of("c", 1))));
        assertSame(newestOfA, bench.discipline.shedFor(bench.waiter(Request.ONE)));
        assertSame(newestOfA, bench.discipline.shedFor(bench.waiter(of("b", 1))));
        assertNull(bench.discipline.shedFor(bench.waiter(of("a", 1))));
        bench.remove(newestOfA);
        assertNull(bench.discipline.shedFor(bench.waiter(of("b", 1))), "it would be as long as a's");
        assertEquals(2, bench.discipline.ahead(bench.waiter(of("a", 1))));
        assertEquals(0, bench.discipline.ahead(bench.waiter(of("c", 1))));
    }

    @Test
    void refusesAWeightBelowOne() {
        IllegalArgumentException thrown =
                assertThrows(IllegalArgumentException.class, () -> new FairShare(Map.of("a", 0)));
        assertEquals("weight of a must be >= 1, was 0", thrown.getMessage());
    }

    /** A key of which the hash depends on a field that changes while it waits. */
    private static final class Changing {
        private int hash;

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Changing changing && changing.hash == hash;
        }
    }

    @Test
    void aKeyThatChangesItsHashLeavesTheOthersTheirTurns() {
        ManagedLimiter limiter = Limiters.of("limiter", new Semaphore(1));
        try (AdmissionQueue queue = AdmissionQueue.builder(
                        "limiter", limiter, QueueSpec.of(100).by(new FairShare()))
                .executor(Runnable::run)
                .build()) {
            Permit held = (Permit) queue.tryAcquire(Request.ONE);
            Changing key = new Changing();
            StringBuilder order = new StringBuilder();
            for (int i = 0; i < 3; i++) {
                acquire(queue, key, () -> order.append('x'));
            }
            key.hash = 1;
            for (String other : List.of("a", "a", "a", "b", "b", "b")) {
                acquire(queue, other, () -> order.append(other));
            }
            acquire(queue, key, () -> order.append('y'));
            held.close();
            assertEquals("xabyxabxab", order.toString());
            assertEquals(0, queue.snapshot().failures());
            assertEquals(0, queue.snapshot().length());
        }
    }

    private static void acquire(AdmissionQueue queue, Object key, Runnable granted) {
        queue.acquireAsync(Request.forKey(key), Duration.ofDays(1)).thenAccept(decision -> {
            granted.run();
            ((Permit) decision).close();
        });
    }

    /** Counts the attempts. */
    private record Counted(ManagedLimiter limiter, AtomicInteger attempts) implements Gate {
        @Override
        public Decision attempt(Request request) {
            attempts.incrementAndGet();
            return limiter.attempt(request);
        }

        @Override
        public Registration whenCapacity(Runnable wakeUp) {
            return limiter.whenCapacity(wakeUp);
        }

        @Override
        public boolean refusesAlike() {
            return limiter.refusesAlike();
        }
    }

    private static AdmissionQueue before(Counted gate) {
        return AdmissionQueue.builder("limiter", gate, QueueSpec.of(10_000).by(new FairShare()))
                .executor(Runnable::run)
                .build();
    }

    @Test
    void beforeOneSemaphoreOneRejectionHoldsForAllTenants() {
        Counted gate = new Counted(Limiters.of("limiter", new Semaphore(1)), new AtomicInteger());
        AdmissionQueue queue = before(gate);
        Permit permit = (Permit) queue.tryAcquire(Request.ONE);
        List<CompletableFuture<Decision>> waiting = new ArrayList<>();
        for (int i = 0; i < 4_000; i++) {
            waiting.add(acquire(queue, "tenant " + i));
        }
        gate.attempts.set(0);
        for (CompletableFuture<Decision> next : waiting) {
            permit.close();
            permit = (Permit) next.join();
        }
        assertTrue(gate.attempts.get() <= 2 * 4_000, gate.attempts::toString);
    }

    @Test
    void beforeOneSemaphoreSmallerRequestsAreTriedAfterALargeOne() {
        Counted gate = new Counted(Limiters.of("limiter", new Semaphore(4)), new AtomicInteger());
        AdmissionQueue queue = before(gate);
        Permit three = (Permit) queue.tryAcquire(Request.of(3));
        List<CompletableFuture<Decision>> waiting = new ArrayList<>();
        for (Request request : List.of(of("a", 3), of("b", 4), of("c", 3), of("d", 1))) {
            waiting.add(queue.acquireAsync(request, Duration.ofDays(1)));
        }
        ((Permit) waiting.get(3).join()).close();
        List<CompletableFuture<Void>> ended = waiting.subList(0, 3).stream()
                .map(next -> next.thenAccept(decision -> ((Permit) decision).close()))
                .toList();
        three.close();
        ended.forEach(CompletableFuture::join);
        assertEquals(0, queue.snapshot().length());
    }

    @Test
    void beforeALimitThatDiffersByKeyAllTenantsAreTried() {
        assertTrue(Limiters.of("rate", TokenBucket.of(1, Duration.ofSeconds(1))).refusesAlike());
        assertFalse(Limiters.of("parts", new Partitioned(4, Map.of("a", 50), 0)).refusesAlike());
        assertFalse(Limiters.of("shed", new PriorityShedding(4, List.of(50))).refusesAlike());
        assertFalse(
                Limiters.of("all", AllOf.of(new Semaphore(1), new Semaphore(2))).refusesAlike());
    }
}
