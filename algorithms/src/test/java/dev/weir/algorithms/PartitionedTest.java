package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("property")
class PartitionedTest extends StrategyContract {
    @Override
    protected StrategySpec spec(long limit) {
        return new Partitioned(limit, Map.of("a", 100), 0);
    }

    @Override
    protected Request request(long permits) {
        return asked("a", permits);
    }

    /** All guarantees may be borrowed, so one key may take everything. */
    @Nested
    class Lent extends StrategyContract {
        @Override
        protected StrategySpec spec(long limit) {
            return new Partitioned(limit, Map.of("a", 30, "b", 70), 100);
        }
    }

    @Test
    void truthTableOfStrictShares() {
        // 10 permits: 4 guaranteed for a, 3 for b, 3 for all.
        ManagedLimiter limiter = limiter(10, Map.of("a", 40, "b", 30), 0);
        List<Permit> b = take(limiter, "b", 9);
        assertEquals(6, b.size()); // its own 3 and the 3 for all; a's 4 are reserved
        assertEquals(Reason.CONCURRENCY, refused(limiter, null));
        assertEquals(4, take(limiter, "a", 9).size()); // all of its own
        b.get(0).close(); // 9 of 10, b has 5 >= 3
        assertInstanceOf(Permit.class, limiter.tryAcquire(asked("stranger", 1)));
        b.get(1).close();
        b.get(2).close();
        b.get(3).close(); // 7 of 10: a 4, b 2, other 1; 1 reserved for b
        assertEquals(2, take(limiter, null, 9).size());
        assertEquals(1, take(limiter, "b", 9).size());
        assertEquals(Reason.NEVER, refused(limiter, asked("a", 8))); // 10 - b's 3
        assertEquals(Reason.CONCURRENCY, refused(limiter, asked("a", 7)));
        assertEquals(Reason.NEVER, refused(limiter, asked(null, 4))); // 10 - 4 - 3
    }

    @Test
    void truthTableOfHalfLentShares() {
        // 10 permits: 5 guaranteed for a, of which 2 may be borrowed and 3 are reserved while it is idle.
        ManagedLimiter limiter = limiter(10, Map.of("a", 50), 50);
        List<Permit> others = take(limiter, null, 20);
        assertEquals(7, others.size()); // 5 for all, 2 borrowed
        assertEquals(3, take(limiter, "a", 20).size()); // the rest is borrowed and not revoked
        others.get(0).close(); // 9 of 10: a has 3 of 5, 1 of the unused 2 is reserved
        assertEquals(Reason.CONCURRENCY, refused(limiter, null));
        assertEquals(1, take(limiter, "a", 20).size()); // 10 of 10: a has 4 of 5
        others.get(1).close();
        assertEquals(Reason.CONCURRENCY, refused(limiter, null)); // ceil(1 * 50%) = 1 is reserved
        others.get(2).close();
        assertEquals(1, take(limiter, null, 20).size()); // 9 of 10, and 1 reserved
        assertEquals(1, take(limiter, "a", 20).size());
    }

    @Test
    void S1_S2_theLimitAndTheGuaranteesHoldForEveryScript() {
        Seed.forAll(400, random -> {
            long limit = random.nextLong(1, 40);
            int lent = Seed.oneOf(random, 0, 0, 100, 50, random.nextInt(101));
            int a = random.nextInt(1, 60);
            int b = random.nextInt(1, 100 - a);
            Map<Object, Integer> percents = Map.of("a", a, "b", b);
            ManagedLimiter limiter = limiter(limit, percents, lent);
            Map<String, Deque<Held>> out =
                    Map.of("a", new ArrayDeque<>(), "b", new ArrayDeque<>(), "c", new ArrayDeque<>());
            for (int step = 0; step < 200; step++) {
                String key = Seed.oneOf(random, "a", "b", "c");
                Deque<Held> mine = out.get(key);
                if (random.nextInt(3) == 0) {
                    if (!mine.isEmpty()) {
                        mine.remove().permit.close();
                    }
                    continue;
                }
                long permits = random.nextInt(3) == 0 ? random.nextLong(1, 12) : 1;
                long total =
                        out.values().stream().mapToLong(PartitionedTest::sum).sum();
                long guarantee = limit * percents.getOrDefault(key, 0) / 100;
                long floor = (guarantee * (100 - lent) + 99) / 100;
                Decision decision = limiter.tryAcquire(asked(key, permits));
                if (decision instanceof Permit permit) {
                    assertTrue(total + permits <= limit, "S1");
                    mine.add(new Held(permit, permits));
                    assertFloorsAreFree(limit, percents, lent, out);
                } else {
                    assertTrue(sum(mine) + permits > floor, () -> key + " is refused its guarantee");
                    assertTrue(lent < 100 || total + permits > limit, "nothing is reserved, but it is not lent");
                    boolean freshRefuses =
                            limiter(limit, percents, lent).tryAcquire(asked(key, permits)) instanceof Rejection;
                    assertEquals(freshRefuses, ((Rejection) decision).reason() == Reason.NEVER);
                }
                assertDetails(limiter, out);
            }
            out.values().forEach(held -> held.forEach(one -> one.permit.close()));
            assertEquals(0, limiter.snapshot().inFlight());
        });
    }

    private record Held(Permit permit, long permits) {}

    private static long sum(Deque<Held> held) {
        return held.stream().mapToLong(Held::permits).sum();
    }

    /** What is guaranteed to each partition and not in flight must be free, all at the same time. */
    private static void assertFloorsAreFree(
            long limit, Map<Object, Integer> percents, int lent, Map<String, Deque<Held>> out) {
        long needed = out.values().stream().mapToLong(PartitionedTest::sum).sum();
        for (Map.Entry<Object, Integer> share : percents.entrySet()) {
            long guarantee = limit * share.getValue() / 100;
            needed += Math.max(
                    0,
                    (guarantee * (100 - lent) + 99) / 100
                            - sum(out.get(share.getKey().toString())));
        }
        assertTrue(needed <= limit, "promised more than there is");
    }

    private static void assertDetails(ManagedLimiter limiter, Map<String, Deque<Held>> out) {
        Map<String, Long> details = limiter.snapshot().details();
        assertEquals(sum(out.get("a")), details.get("a.inFlight"));
        assertEquals(sum(out.get("b")), details.get("b.inFlight"));
        assertEquals(sum(out.get("c")), details.get("other.inFlight"));
    }

    @Test
    void S1_S11_partitionsAreAddedAndRemovedWithPermitsInFlight() {
        Seed.forAll(200, random -> {
            long limit = 12;
            ManagedLimiter limiter = limiter(limit, shares(random), random.nextInt(101));
            Deque<Permit> out = new ArrayDeque<>();
            for (int step = 0; step < 200; step++) {
                switch (random.nextInt(5)) {
                    case 0 -> {
                        limit = random.nextLong(1, 20);
                        limiter.reconfigure(new Partitioned(limit, shares(random), random.nextInt(101)));
                    }
                    case 1, 2 -> {
                        if (!out.isEmpty()) {
                            out.remove().close();
                        }
                    }
                    default -> {
                        if (limiter.tryAcquire(asked(Seed.oneOf(random, "a", "b", "c", null), 1)) instanceof Permit p) {
                            out.add(p);
                            assertTrue(out.size() <= limit);
                        }
                    }
                }
                assertEquals(out.size(), limiter.snapshot().inFlight());
                limiter.snapshot().details().forEach((name, figure) -> assertTrue(figure >= 0, name));
            }
            out.forEach(Permit::close);
            limiter.snapshot()
                    .details()
                    .forEach((name, figure) -> assertEquals(0, name.endsWith("inFlight") ? figure : 0));
            limiter.reconfigure(new Semaphore(limit));
            Oracle.assertCapacity(limit, limiter);
        });
    }

    private static Map<Object, Integer> shares(SplittableRandom random) {
        Map<Object, Integer> shares = new HashMap<>();
        for (String key : List.of("a", "b", "c")) {
            if (random.nextBoolean()) {
                shares.put(key, random.nextInt(1, 34));
            }
        }
        return shares;
    }

    @Test
    void S1_aGuaranteeIsNeverRefusedAmongThreadsThatBorrow() throws Exception {
        ManagedLimiter limiter = limiter(8, Map.of("owner", 25, "greedy", 50), 0);
        AtomicBoolean done = new AtomicBoolean();
        AtomicLong inside = new AtomicLong();
        AtomicLong max = new AtomicLong();
        CountDownLatch busy = new CountDownLatch(2);
        List<Thread> threads = new ArrayList<>();
        for (String key : List.of("greedy", "stranger")) {
            Thread thread = new Thread(() -> {
                Deque<Permit> out = new ArrayDeque<>();
                while (!done.get()) {
                    if (limiter.tryAcquire(asked(key, 1)) instanceof Permit permit) {
                        max.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        out.add(permit);
                    } else {
                        busy.countDown();
                        inside.addAndGet(-out.size());
                        out.forEach(Permit::close);
                        out.clear();
                    }
                }
                inside.addAndGet(-out.size());
                out.forEach(Permit::close);
            });
            thread.start();
            threads.add(thread);
        }
        busy.await();
        long refused = 0;
        for (int i = 0; i < 50_000; i++) {
            Decision one = limiter.tryAcquire(asked("owner", 1));
            Decision two = limiter.tryAcquire(asked("owner", 1));
            for (Decision decision : List.of(one, two)) {
                if (decision instanceof Permit permit) {
                    permit.close();
                } else {
                    refused++;
                }
            }
        }
        done.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(0, refused);
        assertTrue(max.get() <= 6, () -> max + " of 8 taken by others, 2 are the owner's");
        assertEquals(8, take(limiter(8, Map.of("owner", 100), 0), "owner", 9).size());
        limiter.reconfigure(new Semaphore(8));
        Oracle.assertCapacity(8, limiter);
    }

    @Test
    void W1_permitsInFlightAtASwapCountAsOther() {
        ManagedLimiter limiter = Limiters.of("shared", new Semaphore(10));
        List<Permit> before = take(limiter, "a", 7);
        limiter.reconfigure(new Partitioned(10, Map.of("a", 50), 0));
        assertEquals(7, limiter.snapshot().details().get("other.inFlight"));
        assertEquals(Reason.CONCURRENCY, refused(limiter, null)); // 7 in flight, 3 left of a's 5
        assertEquals(3, take(limiter, "a", 9).size());
        before.forEach(Permit::close);
        assertEquals(3, limiter.snapshot().inFlight());
        assertEquals(0, limiter.snapshot().details().get("other.inFlight"));
    }

    @Test
    void anotherShareIsAdjustedInPlaceAndTheDialStays() {
        StrategySpec from = new Partitioned(10, Map.of("a", 50), 0);
        PartStrategy running = Parts.create(from, new VirtualTime());
        StrategySpec to = new Partitioned(20, Map.of("b", 10), 5);
        assertSame(running, Traffic.changed(from, running, to, new VirtualTime()));
        assertEquals(20, running.limit());
    }

    /** A request that was routed to a partition before the partition was removed. */
    @Test
    void W1_aPartitionThatLostItsKeyHasNoGuarantee() {
        StrategySpec from = new Partitioned(10, Map.of("a", 50, "b", 50), 0);
        PartStrategy running = Parts.create(from, new VirtualTime());
        Strategy lane = running.route(asked("a", 1));
        assertTrue(new Partitioned(10, Map.of("b", 100), 0).adjust(running));
        assertEquals(Strategy.NEVER, lane.acquire(asked("a", 1)));
        assertTrue(new Partitioned(10, Map.of("b", 90), 0).adjust(running));
        assertEquals(Strategy.GRANTED, lane.acquire(asked("a", 1)));
        assertEquals(Strategy.UNTIL_RELEASE, lane.acquire(asked("a", 1)));
        assertEquals(1, running.details().get("other.inFlight"));
    }

    @Test
    void R3_refusesInvalidShares() {
        assertThrows(IllegalArgumentException.class, () -> new Partitioned(5, Map.of("a", 0), 0));
        assertThrows(IllegalArgumentException.class, () -> new Partitioned(5, Map.of("a", 100), 101));
        assertEquals(
                "sum of percents must be >= 0 and <= 100, was 101",
                assertThrows(IllegalArgumentException.class, () -> new Partitioned(5, Map.of("a", 60, "b", 41), 0))
                        .getMessage());
        assertEquals(
                "percent of x_y must be >= 1 and <= 100, was 101",
                assertThrows(IllegalArgumentException.class, () -> new Partitioned(5, Map.of("x\ny", 101), 0))
                        .getMessage());
    }

    @Test
    void detailsShowKeysWithoutControlCharacters() {
        String longKey = "k".repeat(1000);
        ManagedLimiter limiter = limiter(10, Map.of(longKey, 10, "e\u001b[31m\r\n", 10, "other", 10), 0);
        take(limiter, "other", 20);
        take(limiter, "nobody", 20);
        Map<String, Long> details = limiter.snapshot().details();
        assertEquals(8, details.size());
        assertEquals(0, details.get("k".repeat(64) + ".inFlight"));
        assertEquals(0, details.get("e_[31m__.refused"));
        assertEquals(8, details.get("other#2.inFlight"));
        assertEquals(1, details.get("other#2.refused"));
        assertEquals(0, details.get("other.inFlight"));
        assertEquals(1, details.get("other.refused"));
    }

    private static ManagedLimiter limiter(long limit, Map<Object, Integer> percents, int lent) {
        return Limiters.of("shared", new Partitioned(limit, percents, lent));
    }

    private static Request asked(@Nullable Object key, long permits) {
        return new Request(permits, 0, key, Request.NO_DEADLINE);
    }

    private static Reason refused(ManagedLimiter limiter, @Nullable Object key) {
        Request request = key instanceof Request asked ? asked : asked(key, 1);
        return assertInstanceOf(Rejection.class, limiter.tryAcquire(request)).reason();
    }

    private static List<Permit> take(ManagedLimiter limiter, @Nullable Object key, int atMost) {
        List<Permit> taken = new ArrayList<>();
        while (taken.size() < atMost && limiter.tryAcquire(asked(key, 1)) instanceof Permit permit) {
            taken.add(permit);
        }
        return taken;
    }
}
