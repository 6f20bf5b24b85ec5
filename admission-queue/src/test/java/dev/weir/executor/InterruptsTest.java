package dev.weir.executor;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Rejection.Reason;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.testkit.Oracle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whose an interrupt is: the caller's, the worker's or a task's; and what a task throws. */
class InterruptsTest {
    private static final Runnable NOTHING = () -> {};

    private final ManagedLimiter limiter = Limiters.of("tasks", new Semaphore(1));
    private final AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(10));
    private final ThreadPoolExecutor callerRuns = new ThreadPoolExecutor(
            1, 1, 1, TimeUnit.MINUTES, new SynchronousQueue<>(), new ThreadPoolExecutor.CallerRunsPolicy());

    private LimitedExecutor runsHere() {
        return LimitedExecutor.builder(
                        task -> {
                            throw new IllegalStateException("made up");
                        },
                        queue)
                .rejecting(RejectionPolicy.callerRuns())
                .build();
    }

    /** Each runs tasks on the caller's thread. */
    private List<LimitedExecutor> direct() {
        callerRuns.shutdown();
        List<LimitedExecutor> all = new ArrayList<>();
        all.add(LimitedExecutor.of(Runnable::run, queue));
        all.add(LimitedExecutor.builder(Runnable::run, queue).capturingNothing().build());
        all.add(runsHere());
        return all;
    }

    @AfterEach
    void everyPermitIsBack() {
        callerRuns.shutdownNow();
        boolean unused = Thread.interrupted();
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void X4_theCallersInterruptSurvivesATask() {
        for (LimitedExecutor executor : direct()) {
            Thread.currentThread().interrupt();
            executor.execute(NOTHING);
            assertTrue(Thread.interrupted(), "interrupted before");
            Thread caller = Thread.currentThread();
            executor.execute(caller::interrupt);
            assertTrue(Thread.interrupted(), "interrupted meanwhile");
            Future<?> unused = executor.submit(caller::interrupt);
            assertTrue(Thread.interrupted(), "interrupted while a future's work ran");
        }
    }

    @Test
    void X4_theInterruptOfACancelEndsWithItsTask() {
        for (LimitedExecutor executor : direct()) {
            executor.execute(() -> {
                executor.shutdownNow();
                assertTrue(Thread.currentThread().isInterrupted());
            });
            assertFalse(Thread.interrupted());
            assertEquals(1, executor.ledger().cancelled());
        }
    }

    @Test
    void X4_aPoolThatRunsOnItsCallerLeavesTheInterrupt() throws Exception {
        LimitedExecutor executor = LimitedExecutor.of(callerRuns, queue);
        limiter.dial().setLimit(2);
        ExecutorBench bench = new ExecutorBench();
        bench.hold(executor);
        Thread caller = Thread.currentThread();
        executor.execute(caller::interrupt);
        assertTrue(Thread.interrupted());
        bench.close();
        executor.shutdown();
        assertTrue(executor.awaitTermination(2, TimeUnit.MINUTES));
        limiter.dial().setLimit(1);
    }

    /* A delegate that wants its worker back interrupts it, also while that waits for the task's permit. */
    @Test
    void X1_aWorkerThatIsInterruptedWhileItWaitsRefusesItsTask() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        Executor unknown = pool::execute;
        LimitedExecutor executor = LimitedExecutor.of(unknown, queue);
        Permit held = (Permit) limiter.tryAcquire();
        Future<String> waiting = executor.submit(() -> "waiting");
        Future<String> behind = executor.submit(() -> "behind it");
        assertEquals(1, pool.shutdownNow().size());
        assertEquals(
                Reason.CANCELLED,
                ExecutorBench.refusedBy(
                        assertThrows(ExecutionException.class, waiting::get).getCause()));
        assertTrue(pool.awaitTermination(2, TimeUnit.MINUTES));
        await().until(() -> {
            System.gc();
            return behind.isDone();
        });
        held.close();
    }
}
