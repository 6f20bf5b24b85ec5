package dev.weir.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.LimiterObserver;
import dev.weir.testkit.Oracle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An {@link ExecutorCompletionService} over limited executors. */
class CompletionServiceTest {
    private final ManagedLimiter limiter = Limiters.of("tasks", new Semaphore(1));
    private final AdmissionQueue nobodyWaits = AdmissionQueue.before(limiter, QueueSpec.of(0));
    private final AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(100));
    private final ExecutorService pool = Executors.newFixedThreadPool(2);
    private final LinkedBlockingQueue<Outcome> outcomes = new LinkedBlockingQueue<>();

    @AfterEach
    void nothingIsLeft() throws InterruptedException {
        pool.shutdown();
        assertTrue(pool.awaitTermination(2, TimeUnit.MINUTES));
        Oracle.assertCapacity(1, limiter);
    }

    /** Over a pool that is known, and over one that may capture. */
    private List<Executor> delegates() {
        return List.of(pool, pool::execute);
    }

    private static void end(ExecutorService executor) throws InterruptedException {
        executor.shutdown();
        assertTrue(executor.awaitTermination(2, TimeUnit.MINUTES));
    }

    @Test
    void X2_oneTaskAfterTheOtherIsNotRefused() throws Exception {
        for (Executor delegate : delegates()) {
            LimitedExecutor executor = LimitedExecutor.of(delegate, nobodyWaits);
            oneAfterTheOther(executor, 2_500);
            end(executor);
            assertEquals(new ExecutorLedger(2_500, 2_500, 0, 0, 0, 0), executor.ledger());
        }
    }

    private static void oneAfterTheOther(Executor executor, int tasks) throws Exception {
        CompletionService<Integer> service = new ExecutorCompletionService<>(executor);
        for (int i = 0; i < tasks; i++) {
            int n = i;
            Future<Integer> submitted = service.submit(() -> n);
            Future<Integer> completed = service.take();
            assertSame(submitted, completed);
            assertEquals(n, completed.get());
        }
    }

    @Test
    void X2_aCancelledTaskLeavesTheQueueAndIsCompleted() throws Exception {
        for (Executor delegate : delegates()) {
            LimitedExecutor executor = LimitedExecutor.of(delegate, queue);
            CompletionService<String> service = new ExecutorCompletionService<>(executor);
            Permit held = (Permit) limiter.tryAcquire();
            Future<String> first = service.submit(() -> "first");
            Future<String> second = service.submit(() -> "second");
            assertEquals(2, queue.snapshot().length());
            assertTrue(first.cancel(false));
            assertEquals(1, queue.snapshot().length());
            assertSame(first, service.poll());
            assertNull(service.poll());
            held.close();
            assertSame(second, service.take());
            assertEquals("second", second.get());
            end(executor);
            assertEquals(new ExecutorLedger(2, 1, 0, 1, 0, 0), executor.ledger());
        }
    }

    @Test
    void X1_aTaskThatThrowsHasFailed() throws Exception {
        limiter.observe(new LimiterObserver() {
            @Override
            public void onReleased(Request request, Outcome outcome, long heldNanos) {
                outcomes.add(outcome);
            }
        });
        Callable<String> throwing = () -> {
            throw new TimeoutException("made up");
        };
        for (Executor delegate : delegates()) {
            LimitedExecutor executor = LimitedExecutor.of(delegate, queue);
            CompletionService<String> service = new ExecutorCompletionService<>(executor);
            Future<String> failing = service.submit(throwing);
            assertSame(failing, service.take());
            assertEquals(Outcome.DROPPED, outcomes.take());
            FutureTask<String> given = new FutureTask<>(throwing);
            executor.execute(given);
            assertThrows(ExecutionException.class, given::get);
            assertEquals(Outcome.DROPPED, outcomes.take());
            FutureTask<String> cancelled = new FutureTask<>(throwing);
            cancelled.cancel(false);
            executor.execute(cancelled);
            end(executor);
            assertEquals(new ExecutorLedger(3, 0, 2, 1, 0, 0), executor.ledger());
            outcomes.clear();
        }
    }

    @Test
    void X1_aTaskThatIsRefusedLateIsCompleted() throws Exception {
        LimitedExecutor executor = LimitedExecutor.builder(pool, queue)
                .maxWait(Duration.ofMillis(10))
                .build();
        CompletionService<String> service = new ExecutorCompletionService<>(executor);
        Permit held = (Permit) limiter.tryAcquire();
        Future<String> late = service.submit(() -> "late");
        assertSame(late, service.take());
        assertEquals(
                Reason.TIMED_OUT,
                ExecutorBench.refusedBy(
                        assertThrows(ExecutionException.class, late::get).getCause()));
        held.close();
    }

    @Test
    void X2_aTaskThatIsCancelledWhileItRunsKeepsItsPermitToItsEnd() throws Exception {
        LimitedExecutor executor = LimitedExecutor.of(pool, queue);
        CompletionService<String> service = new ExecutorCompletionService<>(executor);
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        Future<String> stubborn = service.submit(() -> {
            running.countDown();
            while (gate.getCount() > 0) {
                Thread.onSpinWait();
            }
            return "ended";
        });
        running.await();
        assertTrue(stubborn.cancel(false));
        assertEquals(1, limiter.snapshot().inFlight());
        assertNull(service.poll());
        gate.countDown();
        assertSame(stubborn, service.take());
        end(executor);
        assertEquals(1, executor.ledger().cancelled());
    }

    /* Futures that were made and never executed are not taken for those of a completion service. */
    @Test
    void invokeAllThatIsCutShortLeavesNothingBehind() throws Exception {
        LimitedExecutor executor = LimitedExecutor.of(pool, queue);
        Permit held = (Permit) limiter.tryAcquire();
        for (Future<String> each : executor.<String>invokeAll(List.of(() -> "a", () -> "b"), 0, TimeUnit.NANOSECONDS)) {
            assertTrue(each.isCancelled());
        }
        held.close();
        CompletionService<String> service = new ExecutorCompletionService<>(executor);
        Future<String> next = service.submit(() -> "next");
        assertSame(next, service.take());
        assertEquals("next", next.get());
        end(executor);
    }
}
