package dev.weir.executor;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Counts;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSnapshot;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.Fifo;
import dev.weir.queue.discipline.Lifo;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A task that enters the queue again is one request: it counts by how it finally ended. */
class ExecutorCountsTest {
    private static final Duration WAIT = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final ManagedLimiter limiter =
            Limiters.builder("tasks", new Semaphore(1)).ticker(time).build();
    private final Counts counts = limiter.counts();
    private final ExecutorService pool = Executors.newFixedThreadPool(1);
    private final List<Decision> notified = new ArrayList<>();

    private AdmissionQueue queue(int capacity, DisciplineSpec discipline) {
        AdmissionQueue queue = AdmissionQueue.builder(
                        "tasks", limiter, QueueSpec.of(capacity).by(discipline))
                .ticker(time)
                .alarm(time::alarm)
                .executor(Runnable::run)
                .build();
        queue.observe((request, decision, waited) -> {
            synchronized (notified) {
                notified.add(decision);
            }
        });
        return queue;
    }

    private long refused() {
        long sum = 0;
        for (Reason reason : Reason.values()) {
            sum += counts.refused(reason);
        }
        return sum;
    }

    private static long refused(QueueSnapshot snapshot) {
        return snapshot.full() + snapshot.timedOut() + snapshot.shed() + snapshot.cancelled() + snapshot.limited();
    }

    private void assertRefused(int expected, AdmissionQueue queue) {
        assertEquals(expected, refused());
        assertEquals(expected, refused(queue.snapshot()));
    }

    @AfterEach
    void nothingIsLeft() throws InterruptedException {
        pool.shutdown();
        assertTrue(pool.awaitTermination(2, TimeUnit.MINUTES));
        Oracle.assertCapacity(1, limiter);
    }

    private Iterable<Executor> delegates() {
        return List.of(pool, pool::execute);
    }

    @Test
    void aCallerThatWaitsForRoomIsAdmittedAndNotRefused() throws Exception {
        for (Executor delegate : delegates()) {
            AdmissionQueue queue = queue(1, new Fifo());
            LimitedExecutor executor = LimitedExecutor.builder(delegate, queue)
                    .rejecting(RejectionPolicy.callerRuns())
                    .build();
            Permit held = (Permit) limiter.tryAcquire();
            long before = counts.admitted();
            Future<?> waits = executor.submit(() -> 1);
            FutureTask<Future<?>> caller = new FutureTask<>(() -> executor.submit(() -> 2));
            Thread thread = new Thread(caller);
            thread.start();
            await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
            held.close();
            assertEquals(1, waits.get());
            assertEquals(2, caller.get().get());
            assertEquals(before + 2, counts.admitted());
            assertRefused(0, queue);
        }
    }

    @Test
    void aCallerThatIsRefusedAfterAllIsRefusedOnce() {
        AdmissionQueue queue = queue(1, new Fifo());
        LimitedExecutor executor = LimitedExecutor.builder(pool, queue)
                .maxWait(Duration.ZERO)
                .rejecting(RejectionPolicy.callerRuns())
                .build();
        Permit held = (Permit) limiter.tryAcquire();
        assertThrows(RejectedExecutionException.class, () -> executor.submit(() -> 1));
        held.close();
        assertRefused(1, queue);
    }

    @Test
    void aTaskThatReplacesAnotherIsAdmittedAndTheOtherCancelled() throws Exception {
        for (Executor delegate : delegates()) {
            AdmissionQueue queue = queue(1, new Fifo());
            LimitedExecutor executor = LimitedExecutor.builder(delegate, queue)
                    .rejecting(RejectionPolicy.discardOldest())
                    .build();
            long before = counts.refused(Reason.CANCELLED);
            Permit held = (Permit) limiter.tryAcquire();
            Future<?> first = executor.submit(() -> 1);
            Future<?> second = executor.submit(() -> 2);
            held.close();
            assertEquals(2, second.get());
            assertTrue(first.isCancelled());
            assertEquals(before + 1, counts.refused(Reason.CANCELLED));
            assertEquals(0, counts.refused(Reason.QUEUE_FULL));
            assertEquals(1, refused(queue.snapshot()));
        }
    }

    @Test
    void aPlaceThatTimedOutAndIsTakenAgainIsNotRefused() throws Exception {
        AdmissionQueue queue = queue(10, new Lifo());
        AtomicInteger begun = new AtomicInteger();
        Executor capturing = task -> pool.execute(() -> {
            begun.incrementAndGet();
            task.run();
        });
        LimitedExecutor executor =
                LimitedExecutor.builder(capturing, queue).maxWait(WAIT).build();
        CountDownLatch ends = new CountDownLatch(1);
        Permit held = (Permit) limiter.tryAcquire();
        Future<?> first = executor.submit(() -> ends.await(2, TimeUnit.MINUTES));
        await().until(() -> begun.get() == 1);
        CompletableFuture<?> second = CompletableFuture.supplyAsync(() -> 2, executor);
        held.close();
        time.advance(WAIT.toNanos());
        assertEquals(1, queue.snapshot().length());
        ends.countDown();
        assertEquals(true, first.get());
        assertEquals(2, second.get());
        assertRefused(0, queue);
        synchronized (notified) {
            assertTrue(notified.stream().noneMatch(Rejection.class::isInstance), notified::toString);
        }
    }

    @Test
    void aPlaceThatTimedOutIsRefusedOnce() {
        for (Executor delegate : delegates()) {
            AdmissionQueue queue = queue(10, new Fifo());
            LimitedExecutor executor =
                    LimitedExecutor.builder(delegate, queue).maxWait(WAIT).build();
            long before = refused();
            notified.clear();
            Permit held = (Permit) limiter.tryAcquire();
            Future<?> waits = executor.submit(() -> 1);
            time.advance(WAIT.toNanos());
            assertTrue(waits.isDone());
            held.close();
            assertEquals(before + 1, refused());
            assertEquals(1, queue.snapshot().timedOut());
            assertEquals(1, refused(queue.snapshot()));
            assertEquals(1, notified.size());
        }
    }
}
