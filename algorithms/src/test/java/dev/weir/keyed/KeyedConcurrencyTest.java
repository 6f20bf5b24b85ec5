package dev.weir.keyed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.StrategyContract;
import dev.weir.testkit.VirtualTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

class KeyedConcurrencyTest extends StrategyContract {
    private static final int KEYS = 40;

    @Override
    protected StrategySpec spec(long limit) {
        return Keyed.of(new Semaphore(limit), 100);
    }

    @Override
    protected Request request(long permits) {
        return new Request(permits, 0, "alice", Request.NO_DEADLINE);
    }

    private static List<Permit> takeAll(ManagedLimiter limiter, Object key) {
        List<Permit> all = new ArrayList<>();
        while (limiter.tryAcquire(Request.forKey(key)) instanceof Permit permit) {
            all.add(permit);
        }
        return all;
    }

    private static void assertCapacity(ManagedLimiter limiter, Object key, int expected) {
        for (int again = 0; again < 2; again++) {
            List<Permit> all = takeAll(limiter, key);
            assertEquals(expected, all.size(), "capacity of " + key);
            all.forEach(Permit::close);
        }
    }

    private static ManagedLimiter limiter(StrategySpec spec) {
        return Limiters.builder("keyed", spec).ticker(new VirtualTime()).build();
    }

    @Test
    void K6_aRequestWithoutAKeyIsRefusedForGood() {
        Rejection refused = assertInstanceOf(Rejection.class, limiter(spec(5)).tryAcquire());
        assertEquals(Rejection.Reason.KEY_MISSING, refused.reason());
    }

    @Test
    void K5_keysWithPermitsInFlightAreNotEvicted() {
        ManagedLimiter limiter = limiter(Keyed.of(new Semaphore(2), 10));
        List<List<Permit>> held = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            held.add(takeAll(limiter, "key" + i));
            assertEquals(2, held.get(i).size());
        }
        for (int i = 0; i < 1_000; i++) {
            takeAll(limiter, "flood" + i).forEach(Permit::close);
        }
        assertEquals(200, limiter.snapshot().inFlight());
        for (int i = 0; i < 100; i++) {
            assertEquals(List.of(), takeAll(limiter, "key" + i));
        }
        held.forEach(permits -> permits.forEach(Permit::close));
        assertEquals(0, limiter.snapshot().inFlight());
        assertEquals(0L, limiter.snapshot().details().get("retainedKeys"));
        assertTrue(limiter.snapshot().details().get("keys") <= 10);
        for (int i = 0; i < 100; i++) {
            assertCapacity(limiter, "key" + i, 2);
        }
    }

    @Test
    void W1_aReloadKeepsPermitsInFlightOfEveryKeyRetainedOrNot() {
        ManagedLimiter limiter = limiter(Keyed.of(new Semaphore(2), 10));
        List<List<Permit>> held = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            held.add(takeAll(limiter, "key" + i));
        }
        limiter.dial().setLimit(3);
        for (int i = 0; i < 30; i++) {
            List<Permit> more = takeAll(limiter, "key" + i);
            assertEquals(1, more.size());
            more.forEach(Permit::close);
        }
        limiter.reconfigure(Keyed.of(new Counter(4), 10));
        for (int i = 0; i < 30; i++) {
            List<Permit> more = takeAll(limiter, "key" + i);
            assertEquals(2, more.size());
            held.get(i).forEach(Permit::close);
            more.forEach(Permit::close);
        }
        assertEquals(0, limiter.snapshot().inFlight());
        assertEquals(0L, limiter.snapshot().details().get("retainedKeys"));
        for (int i = 0; i < 30; i++) {
            assertCapacity(limiter, "key" + i, 4);
        }
    }

    @Test
    void S1_S2_K5_threadsUnderEvictionAndReloadNeverExceedAKeysLimit() throws Exception {
        for (boolean reloading : new boolean[] {false, true}) {
            ManagedLimiter limiter = limiter(Keyed.of(new Semaphore(2), 4));
            AtomicIntegerArray inside = new AtomicIntegerArray(KEYS);
            Threads.inParallel(4, thread -> {
                SplittableRandom random = new SplittableRandom(thread);
                Deque<Runnable> out = new ArrayDeque<>();
                for (int i = 0; i < 150_000; i++) {
                    if (reloading && thread == 0 && i % 100 == 0) {
                        limiter.reconfigure(Keyed.of(i % 200 == 0 ? new Counter(2) : new Semaphore(2), 4));
                    }
                    int key = random.nextInt(KEYS);
                    if (limiter.tryAcquire(Request.forKey("key" + key)) instanceof Permit permit) {
                        int now = inside.incrementAndGet(key);
                        assertTrue(now <= 2, () -> now + " inside");
                        out.add(() -> {
                            inside.decrementAndGet(key);
                            permit.close();
                        });
                    }
                    while (out.size() > random.nextInt(4)) {
                        out.remove().run();
                    }
                }
                out.forEach(Runnable::run);
            });
            assertEquals(0, limiter.snapshot().inFlight());
            assertEquals(0L, limiter.snapshot().details().get("retainedKeys"));
            for (int key = 0; key < KEYS; key++) {
                assertCapacity(limiter, "key" + key, 2);
            }
        }
    }
}
