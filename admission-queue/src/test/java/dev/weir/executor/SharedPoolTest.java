package dev.weir.executor;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.FairShare;
import dev.weir.queue.discipline.Fifo;
import dev.weir.queue.discipline.Priority;
import dev.weir.spi.Gate;
import dev.weir.testkit.Oracle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Executors with different requests, on one queue, over one pool whose context is captured. */
class SharedPoolTest {
    private static final int LIMIT = 2;
    private static final Request LOW = new Request(1, 1, "low", Long.MAX_VALUE);
    private static final Request HIGH = new Request(1, 0, "high", Long.MAX_VALUE);
    private static final Request HEAVY = new Request(2, 0, "high", Long.MAX_VALUE);

    private final ManagedLimiter limiter = Limiters.of("tasks", new Semaphore(LIMIT));
    private final AtomicInteger begun = new AtomicInteger();
    private ExecutorService pool = Executors.newFixedThreadPool(2);

    private void capturing(Runnable task) {
        pool.execute(() -> {
            begun.incrementAndGet();
            task.run();
        });
    }

    private LimitedExecutor executor(AdmissionQueue queue, Request each) {
        return executor(this::capturing, queue, each);
    }

    private static LimitedExecutor executor(Executor delegate, AdmissionQueue queue, Request each) {
        return LimitedExecutor.builder(delegate, queue).request(each).build();
    }

    private AdmissionQueue queue(int capacity, DisciplineSpec discipline) {
        return AdmissionQueue.before(limiter, QueueSpec.of(capacity).by(discipline));
    }

    private List<Permit> all() {
        List<Permit> all = new ArrayList<>();
        for (int i = 0; i < LIMIT; i++) {
            all.add((Permit) limiter.tryAcquire());
        }
        return all;
    }

    private static Object in(Future<?> future) throws Exception {
        return future.get(2, TimeUnit.MINUTES);
    }

    @AfterEach
    void nothingIsLeft() throws InterruptedException {
        pool.shutdown();
        assertTrue(pool.awaitTermination(2, TimeUnit.MINUTES));
        Oracle.assertCapacity(LIMIT, limiter);
    }

    @Test
    void workersThatWaitHoldUpNoOtherPermit() throws Exception {
        for (DisciplineSpec discipline : List.of(new Priority(Duration.ofMinutes(1)), new FairShare(), new Fifo())) {
            for (Request other : List.of(HIGH, HEAVY)) {
                AdmissionQueue queue = queue(100, discipline);
                LimitedExecutor low = executor(queue, LOW);
                LimitedExecutor high = executor(queue, other);
                begun.set(0);
                List<Permit> held = all();
                List<Future<?>> futures = new ArrayList<>();
                futures.add(low.submit(() -> "low"));
                futures.add(low.submit(() -> "low"));
                await().until(() -> begun.get() == 2);
                for (int i = 0; i < 3; i++) {
                    futures.add(high.submit(() -> "high"));
                    futures.add(low.submit(() -> "low"));
                }
                held.forEach(Permit::close);
                for (Future<?> future : futures) {
                    in(future);
                }
                high.shutdown();
                assertTrue(high.awaitTermination(2, TimeUnit.MINUTES));
                assertEquals(3, high.ledger().succeeded());
                assertEquals(0, queue.snapshot().length());
            }
        }
    }

    @Test
    void aPermitGrantedBeforeItsTaskIsPassedOnHoldsUpNoOther() throws Exception {
        pool.shutdown();
        pool = Executors.newFixedThreadPool(1);
        AdmissionQueue queue = queue(100, new Fifo());
        LimitedExecutor other = executor(queue, LOW);
        AtomicReference<Future<?>> first = new AtomicReference<>();
        LimitedExecutor late = executor(
                task -> {
                    first.set(other.submit(() -> "first"));
                    await().until(() -> begun.get() == 1);
                    capturing(task);
                },
                queue,
                HEAVY);
        Future<?> second = late.submit(() -> "second");
        assertEquals("second", in(second));
        assertEquals("first", in(first.get()));
    }

    @Test
    void whatGaveItsPermitBackIsCancelledAsAnyOther() throws Exception {
        AdmissionQueue queue = queue(100, new Priority(Duration.ofMinutes(1)));
        LimitedExecutor high = executor(queue, HEAVY);
        List<Permit> held = all();
        CountDownLatch ends = new CountDownLatch(1);
        Future<?> low = executor(queue, LOW).submit(() -> ends.await(2, TimeUnit.MINUTES));
        Future<?> other = executor(queue, LOW).submit(() -> ends.await(2, TimeUnit.MINUTES));
        await().until(() -> begun.get() == 2);
        Future<?> future = high.submit(() -> "high");
        held.forEach(Permit::close);
        assertTrue(future.cancel(false));
        ends.countDown();
        assertEquals(true, in(low));
        assertEquals(true, in(other));
        assertThrows(CancellationException.class, future::get);
        high.shutdown();
        assertTrue(high.awaitTermination(2, TimeUnit.MINUTES));
        assertEquals(1, high.ledger().cancelled());
    }

    @Test
    void whatGaveItsPermitBackCountsAsOneThatWaits() throws Exception {
        AdmissionQueue queue = queue(3, new Priority(Duration.ofMinutes(1)));
        LimitedExecutor low = executor(queue, LOW);
        LimitedExecutor high = executor(queue, HIGH);
        CountDownLatch ends = new CountDownLatch(1);
        List<Permit> held = all();
        List<Future<?>> futures = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            futures.add(low.submit(() -> ends.await(2, TimeUnit.MINUTES)));
        }
        await().until(() -> begun.get() == 2);
        futures.add(high.submit(() -> true));
        held.remove(0).close();
        assertEquals(1, queue.snapshot().length());
        futures.add(high.submit(() -> true));
        assertThrows(RejectedExecutionException.class, () -> high.submit(() -> true));
        ends.countDown();
        held.remove(0).close();
        for (Future<?> future : futures) {
            assertEquals(true, in(future));
        }
    }

    @Test
    void allEndAtRandomWithinTheirOwnLimits() throws Exception {
        Random random = new Random(9);
        for (int threads = 1; threads <= 3; threads++) {
            pool.shutdown();
            pool = Executors.newFixedThreadPool(threads);
            Gate keyed = Limiters.builder("keyed", AllOf.of(new Semaphore(2), Keyed.of(new Semaphore(1), 10)))
                    .build();
            Gate[] gates = {limiter, keyed};
            for (Gate gate : gates) {
                everyTaskEnds(gate, random);
            }
        }
    }

    private static void ends(Future<?> future) throws Exception {
        try {
            in(future);
        } catch (CancellationException e) {
            assertTrue(future.isCancelled());
        } catch (ExecutionException e) {
            assertInstanceOf(RejectedExecutionException.class, e.getCause());
        }
    }

    private void everyTaskEnds(Gate gate, Random random) throws Exception {
        AdmissionQueue queue = AdmissionQueue.builder("q", gate, QueueSpec.of(6).by(new FairShare()))
                .build();
        boolean alike = gate == limiter;
        LimitedExecutor[] executors = {
            executor(queue, LOW),
            executor(queue, HIGH),
            executor(queue, alike ? HEAVY : new Request(1, 0, "c", Long.MAX_VALUE))
        };
        AtomicInteger[] running = {new AtomicInteger(), new AtomicInteger(), new AtomicInteger()};
        AtomicInteger exceeded = new AtomicInteger();
        List<Future<?>> futures = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            int which = random.nextInt(3);
            try {
                futures.add(executors[which].submit(() -> {
                    if (running[which].incrementAndGet() > (alike && which < 2 ? 2 : 1)) {
                        exceeded.incrementAndGet();
                    }
                    Thread.yield();
                    running[which].decrementAndGet();
                }));
            } catch (RejectedExecutionException e) {
                Thread.yield();
            }
            if (random.nextInt(10) == 0 && !futures.isEmpty()) {
                futures.get(futures.size() - 1).cancel(false);
            }
        }
        for (Future<?> future : futures) {
            ends(future);
        }
        for (LimitedExecutor each : executors) {
            each.shutdown();
            assertTrue(each.awaitTermination(2, TimeUnit.MINUTES));
        }
        assertEquals(0, exceeded.get());
        assertEquals(0, queue.snapshot().length());
    }
}
