package dev.weir.verification.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Rejection.Reason;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Counts;
import dev.weir.engine.LimiterView;
import dev.weir.engine.LimiterView.Counting;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.Seed;
import dev.weir.testkit.Stress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A limiter counts while somebody asks for it. */
@Tag("proof")
@Tag("property")
class CountingTest {
    private final ManagedLimiter limiter = Limiters.of("two", new Semaphore(2));

    private void once() {
        limiter.run(() -> {});
    }

    @Test
    void countingEndsWhenTheLastReaderCloses() {
        once();
        Counting first = limiter.count();
        once();
        Counting second = limiter.count();
        once();
        first.close();
        first.close();
        once();
        assertEquals(3, second.counts().admitted());
        second.close();
        once();
        assertEquals(3, second.counts().admitted(), "nothing counts");
        assertSame(first.counts(), second.counts());
        Counting third = limiter.count();
        once();
        assertEquals(4, third.counts().admitted(), "the totals go on");
    }

    @Test
    void countsGoesOnForEver() {
        Counting before = limiter.count();
        Counts counts = limiter.counts();
        before.close();
        once();
        assertEquals(1, counts.admitted());
        Counting after = limiter.count();
        after.close();
        once();
        assertEquals(2, counts.admitted());
    }

    @Test
    void aViewCountsToo() {
        try (Counting counting = LimiterView.of(limiter).count()) {
            limiter.tryAcquire(3);
            assertEquals(1, counting.counts().refused(Reason.NEVER));
        }
        limiter.tryAcquire(3);
        assertEquals(1, limiter.counts().refused(Reason.NEVER));
    }

    @Test
    void whatWasGrantedWhileItCountedStaysCountedThroughAChange() {
        Counting counting = limiter.count();
        limiter.tryAcquire();
        limiter.reconfigure(TokenBucket.of(1, Duration.ofDays(1)));
        limiter.tryAcquire();
        limiter.tryAcquire();
        assertEquals(2, counting.counts().admitted());
        assertEquals(1, counting.counts().refused(Reason.RATE));
        limiter.close();
        counting.close();
        assertEquals(2, counting.counts().admitted());
    }

    /** Against a model: a number of readers, and whether counts() was called. */
    @Test
    void overAnyHistoryItCountsExactlyWhileSomebodyAsks() {
        Seed.forAll(200, random -> {
            ManagedLimiter asked = Limiters.of("n", new Semaphore(1));
            List<Counting> open = new ArrayList<>();
            boolean forEver = false;
            long expected = 0;
            for (int step = 0; step < 60; step++) {
                switch (random.nextInt(12)) {
                    case 0, 1, 2 -> open.add(asked.count());
                    case 3, 4, 5 -> {
                        if (!open.isEmpty()) {
                            open.remove(random.nextInt(open.size())).close();
                        }
                    }
                    case 6 -> asked.reconfigure(new Semaphore(random.nextInt(1, 4)));
                    case 7 -> {
                        if (random.nextInt(20) == 0) {
                            asked.counts();
                            forEver = true;
                        }
                    }
                    default -> {
                        asked.run(() -> {});
                        expected += forEver || !open.isEmpty() ? 1 : 0;
                    }
                }
            }
            assertEquals(expected, asked.counts().admitted());
        });
    }

    /**
     * Two threads open and close while two others ask and read: the totals never fall, and each of the two has all of its own
     * requests in them.
     */
    @Test
    void underRacesTheTotalsNeverFallAndNoReaderMissesItsOwnRequests() throws Exception {
        Stress.seconds(1, 10, 60).repeat(3, round -> {
            ManagedLimiter asked = Limiters.of("n", new Semaphore(1_000_000));
            AtomicBoolean done = new AtomicBoolean();
            Callable<Boolean> opener = () -> {
                for (int i = 0; i < 2_000; i++) {
                    try (Counting counting = asked.count()) {
                        long before = counting.counts().admitted();
                        for (int j = 0; j < 5; j++) {
                            asked.run(() -> {});
                        }
                        if (counting.counts().admitted() < before + 5) {
                            return false;
                        }
                    }
                }
                return true;
            };
            Counting reader = asked.count();
            reader.close();
            Callable<Boolean> watcher = () -> {
                long last = 0;
                while (!done.get()) {
                    long now = reader.counts().admitted();
                    if (now < last) {
                        return false;
                    }
                    last = now;
                }
                return true;
            };
            List<FutureTask<Boolean>> openers = List.of(new FutureTask<>(opener), new FutureTask<>(opener));
            FutureTask<Boolean> watching = new FutureTask<>(watcher);
            new Thread(watching, "watcher").start();
            openers.forEach(each -> new Thread(each, "opener").start());
            for (FutureTask<Boolean> each : openers) {
                assertTrue(get(each), "a reader missed requests of its own");
            }
            done.set(true);
            assertTrue(get(watching), "a total fell");
            long end = reader.counts().admitted();
            asked.run(() -> {});
            assertEquals(end, reader.counts().admitted(), "nobody counts any more");
            assertFalse(end < 20_000, () -> end + " counted");
        });
    }

    private static boolean get(FutureTask<Boolean> task) {
        try {
            return task.get();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
