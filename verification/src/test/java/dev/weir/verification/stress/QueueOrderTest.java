package dev.weir.verification.stress;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.Stress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A hundred thousand hand-offs of one permit and more in exact order of arrival, four in five to futures and one to blocked
 * threads, while the limiter's algorithm, the queue's capacity and its discipline are changed a thousand times. A discipline
 * that watches the order has witnessed it; the futures pass the default queue too.
 */
@Tag("proof")
class QueueOrderTest {
    private static final long HAND_OFFS = 100_000;
    private static final int CHANGES = 1_000;
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final int OUTSTANDING = 500;

    private final Arrivals.Witness witness = new Arrivals.Witness();
    private final ManagedLimiter limiter = Limiters.of("order", new Semaphore(1));
    private final AdmissionQueue queue = AdmissionQueue.builder("order", limiter, spec(0))
            .executor(Runnable::run)
            .build();
    private final AtomicLong done = new AtomicLong();
    private volatile boolean witnessed = true;
    private volatile long wrong;

    private QueueSpec spec(int change) {
        QueueSpec first = QueueSpec.of(1_000 + change % 7);
        return witnessed ? first.by(new Arrivals(witness, change / 10 % 2)) : first;
    }

    private void change(int change) {
        limiter.reconfigure(change % 2 == 0 ? new Counter(1) : new Semaphore(1));
        queue.reconfigure(spec(change));
    }

    private void check(long handOffs, int changes) {
        assertEquals(handOffs, done.get());
        assertEquals(0, wrong, "out of order");
        assertEquals(0, witness.overtaken(), "granted before one who had come earlier");
        long waited = queue.snapshot().granted();
        assertTrue(waited > handOffs / 2, () -> waited + " of them waited");
        assertTrue(!witnessed || witness.granted() > handOffs / 2, () -> witness.granted() + " of them were witnessed");
        assertTrue(changes > 0);
        assertEquals(0, queue.snapshot().length());
        assertEquals(0, queue.snapshot().failures());
        Oracle.assertCapacity(1, limiter);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void S7_W1_futuresAreGrantedInTheOrderOfTheirNumbers(boolean withWitness) throws Exception {
        Stress.seconds(1, 20, 200).repeat(1, round -> new QueueOrderTest().futures(withWitness));
    }

    private void futures(boolean withWitness) throws Exception {
        witnessed = withWitness;
        queue.reconfigure(spec(0));
        long handOffs = HAND_OFFS / 5 * 4;
        int changes = CHANGES / 5 * 4;
        BlockingQueue<Permit> granted = new LinkedBlockingQueue<>();
        java.util.concurrent.Semaphore room = new java.util.concurrent.Semaphore(OUTSTANDING);
        ExecutorService pool = Executors.newFixedThreadPool(2);
        AtomicLong asked = new AtomicLong();
        Future<?> releaser = pool.submit(() -> {
            for (long i = 0; i < handOffs; i++) {
                Permit permit = granted.take();
                // three in four are released only when the next one waits, the others whenever that is
                while (i % 4 != 0 && asked.get() < Math.min(handOffs, i + 2)) {
                    Thread.yield();
                }
                permit.release(Outcome.SUCCESS);
                room.release();
            }
            return null;
        });
        Future<?> changer = pool.submit(() -> {
            for (int change = 0; change < changes; change++) {
                long at = handOffs / changes * change;
                while (done.get() < at) {
                    Thread.onSpinWait();
                    Thread.yield();
                }
                change(change);
            }
        });
        for (long i = 0; i < handOffs; i++) {
            long number = i;
            room.acquire();
            queue.acquireAsync(Request.ONE, EVER).thenAccept(decision -> {
                if (number != done.getAndIncrement()) {
                    wrong = number;
                }
                granted.add((Permit) decision);
            });
            asked.incrementAndGet();
        }
        releaser.get(1, TimeUnit.HOURS);
        changer.get(1, TimeUnit.HOURS);
        pool.shutdown();
        check(handOffs, changes);
    }

    @Test
    void S7_W1_blockedThreadsAreGrantedInTheOrderOfTheirArrival() throws Exception {
        Stress.seconds(1, 20, 200).repeat(1, round -> new QueueOrderTest().blockedThreads());
    }

    private void blockedThreads() throws Exception {
        int threads = 4;
        long handOffs = HAND_OFFS / 5;
        int changes = CHANGES / 5;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        Permit first = (Permit) queue.tryAcquire(Request.ONE);
        AtomicLong begun = new AtomicLong();
        List<Future<?>> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            all.add(pool.submit(() -> {
                while (begun.getAndIncrement() < handOffs) {
                    Permit permit = (Permit) queue.acquire(Request.ONE, EVER);
                    long number = done.getAndIncrement();
                    if (number % (handOffs / changes) == 0) {
                        change((int) (number / (handOffs / changes)));
                    }
                    // three in four are released only when another thread waits, the others whenever that is
                    while (number % 4 != 0
                            && number < handOffs - threads
                            && queue.snapshot().length() == 0) {
                        Thread.yield();
                    }
                    permit.close();
                }
                return null;
            }));
        }
        await().until(() -> queue.snapshot().length() == threads);
        first.close();
        for (Future<?> one : all) {
            one.get(1, TimeUnit.HOURS);
        }
        pool.shutdown();
        check(handOffs, changes);
    }
}
