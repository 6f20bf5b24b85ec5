package dev.weir.executor;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Rejection.Reason;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.testkit.Oracle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tasks that are refused, at once, in the queue or by the delegate. */
class LimitedExecutorRejectionsTest {
    private static final Duration SHORT = Duration.ofMillis(30);

    private final ExecutorBench bench = new ExecutorBench();

    @AfterEach
    void nothingIsLeft() throws InterruptedException {
        bench.close();
    }

    @Test
    void moreThanTheLimitGetNull() throws Exception {
        LimitedExecutor executor =
                bench.builder(0).rejecting(RejectionPolicy.fallback(null)).build();
        Future<String> held = bench.hold(executor);
        assertNull(executor.submit(() -> "second").get());
        bench.gate.countDown();
        assertEquals("held", held.get());
        assertEquals("third", executor.submit(() -> "third").get());
        bench.assertClosed(executor);
        assertEquals(1, executor.ledger().rejected());
    }

    @Test
    void moreThanTheLimitGetWhatTheActionGives() throws Exception {
        LimitedExecutor executor = bench.builder(0)
                .rejecting(RejectionPolicy.fallbackTo(refused -> "limit " + refused.limit()))
                .build();
        bench.hold(executor);
        assertEquals("limit 1", executor.submit(() -> "second").get());
        bench.assertClosed(executor);
    }

    @Test
    void moreThanTheLimitThrow() throws Exception {
        LimitedExecutor executor = bench.builder(0).build();
        bench.hold(executor);
        assertEquals(
                Reason.QUEUE_FULL,
                ExecutorBench.refusedBy(
                        assertThrows(RejectedExecutionException.class, () -> executor.submit(() -> 1))));
        assertEquals(
                Reason.QUEUE_FULL,
                ExecutorBench.refusedBy(
                        assertThrows(RejectedExecutionException.class, () -> executor.execute(() -> {}))));
        bench.assertClosed(executor);
    }

    @Test
    void X1_aRejectionInTheQueueReachesTheFuture() throws Exception {
        LimitedExecutor executor = bench.builder(10).maxWait(SHORT).build();
        bench.hold(executor);
        Future<String> late = executor.submit(() -> "late");
        assertEquals(
                Reason.TIMED_OUT,
                ExecutorBench.refusedBy(
                        assertThrows(ExecutionException.class, late::get).getCause()));
        bench.assertClosed(executor);
    }

    @Test
    void X1_aRejectionInTheQueueOfABareTaskReachesThePolicy() throws Exception {
        BlockingQueue<RejectedTask> refused = new LinkedBlockingQueue<>();
        LimitedExecutor executor =
                bench.builder(10).maxWait(SHORT).rejecting(refused::add).build();
        bench.hold(executor);
        Runnable bare = () -> {};
        executor.execute(bare);
        RejectedTask task = refused.take();
        assertTrue(task.isLate());
        assertSame(bare, task.task());
        bench.assertClosed(executor);
    }

    @Test
    void X5_aDelegateThatRefusesReturnsThePermit() throws Exception {
        LimitedExecutor executor = LimitedExecutor.of(
                task -> {
                    throw new RejectedExecutionException("made up");
                },
                AdmissionQueue.before(bench.limiter, QueueSpec.of(1)));
        RejectedExecutionException thrown =
                assertThrows(RejectedExecutionException.class, () -> executor.submit(() -> 1));
        assertEquals(Reason.QUEUE_FULL, ExecutorBench.refusedBy(thrown));
        assertEquals("made up", thrown.getSuppressed()[0].getMessage());
        bench.assertClosed(executor);
        assertEquals(1, executor.ledger().rejected());
    }

    @Test
    void X5_theCallerRunsUnderTheLimit() throws Exception {
        LimitedExecutor executor =
                bench.builder(0).rejecting(RejectionPolicy.callerRuns()).build();
        bench.hold(executor);
        BlockingQueue<Thread> ran = new LinkedBlockingQueue<>();
        Thread submitter = new Thread(() -> executor.execute(() -> {
            assertEquals(1, bench.limiter.snapshot().inFlight());
            ran.add(Thread.currentThread());
        }));
        submitter.start();
        await().until(() -> submitter.getState() == Thread.State.TIMED_WAITING);
        assertTrue(ran.isEmpty());
        bench.gate.countDown();
        assertSame(submitter, ran.take());
        submitter.join();
        bench.assertClosed(executor);
        assertEquals(new ExecutorLedger(2, 2, 0, 0, 0, 0), executor.ledger());
    }

    @Test
    void X5_theCallerRunsUnderThePermitTheDelegateDidNotUse() throws Exception {
        LimitedExecutor executor = LimitedExecutor.builder(
                        task -> {
                            throw new RejectedExecutionException("made up");
                        },
                        AdmissionQueue.before(bench.limiter, QueueSpec.of(0)))
                .rejecting(RejectionPolicy.callerRuns())
                .build();
        assertSame(
                Thread.currentThread(), executor.submit(Thread::currentThread).get());
        bench.assertClosed(executor);
    }

    @Test
    void X5_discardCancelsTheFuture() throws Exception {
        LimitedExecutor executor =
                bench.builder(0).rejecting(RejectionPolicy.discard()).build();
        bench.hold(executor);
        assertTrue(executor.submit(() -> 1).isCancelled());
        bench.assertClosed(executor);
        assertEquals(1, executor.ledger().rejected());
    }

    @Test
    void X5_discardOldestMakesRoom() throws Exception {
        LimitedExecutor executor =
                bench.builder(2).rejecting(RejectionPolicy.discardOldest()).build();
        bench.hold(executor);
        List<Future<Integer>> futures = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int n = i;
            futures.add(executor.submit(() -> n));
        }
        assertArrayEquals(
                new Boolean[] {true, true, false, false},
                futures.stream().map(Future::isCancelled).toArray());
        bench.gate.countDown();
        assertEquals(2, futures.get(2).get());
        assertEquals(3, futures.get(3).get());
        bench.assertClosed(executor);
        assertEquals(2, executor.ledger().rejected());
    }

    @Test
    void X5_discardOldestDiscardsWhatTheDelegateRefused() throws Exception {
        LimitedExecutor executor = LimitedExecutor.builder(
                        task -> {
                            throw new RejectedExecutionException("made up");
                        },
                        AdmissionQueue.before(bench.limiter, QueueSpec.of(1)))
                .rejecting(RejectionPolicy.discardOldest())
                .build();
        assertTrue(executor.submit(() -> 1).isCancelled());
        bench.assertClosed(executor);
    }

    @Test
    void aPolicyThatThrowsOrDoesNothingLosesNothing() throws Exception {
        IllegalStateException made = new IllegalStateException("made up");
        LimitedExecutor throwing = bench.builder(0)
                .rejecting(task -> {
                    throw made;
                })
                .build();
        LimitedExecutor idle = bench.builder(0).rejecting(task -> {}).build();
        bench.hold(throwing);
        assertSame(made, assertThrows(IllegalStateException.class, () -> throwing.submit(() -> 1)));
        assertThrows(RejectedExecutionException.class, () -> idle.submit(() -> 1));
        bench.assertClosed(throwing);
        bench.assertClosed(idle);
    }

    @Test
    void aPeriodicTaskOfTheJdksSchedulerSkipsTheRunsThatAreRefused() throws Exception {
        LimitedExecutor executor =
                bench.builder(0).rejecting(RejectionPolicy.discard()).build();
        ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
        AtomicInteger runs = new AtomicInteger();
        bench.hold(executor);
        ScheduledFuture<?> periodic = scheduler.scheduleAtFixedRate(
                () -> executor.execute(runs::incrementAndGet), 0, 1, TimeUnit.MILLISECONDS);
        await().until(() -> executor.ledger().rejected() > 3);
        assertEquals(0, runs.get());
        bench.gate.countDown();
        await().until(() -> runs.get() > 3);
        assertFalse(periodic.isDone());
        scheduler.shutdown();
        assertTrue(scheduler.awaitTermination(2, TimeUnit.MINUTES));
        bench.assertClosed(executor);
    }

    @Test
    void X6_aTaskThatSubmitsToItsOwnFullExecutorIsRefused() throws Exception {
        for (RejectionPolicy policy : List.of(RejectionPolicy.abort(), RejectionPolicy.callerRuns())) {
            LimitedExecutor executor =
                    bench.builder(10).maxWait(SHORT).rejecting(policy).build();
            Future<String> outer =
                    executor.submit(() -> executor.submit(() -> "inner").get());
            ExecutionException thrown = assertThrows(ExecutionException.class, outer::get);
            ExecutionException inner = assertInstanceOf(ExecutionException.class, thrown.getCause());
            assertEquals(Reason.TIMED_OUT, ExecutorBench.refusedBy(inner.getCause()));
            executor.shutdown();
            assertTrue(executor.awaitTermination(2, TimeUnit.MINUTES));
        }
        Oracle.assertCapacity(1, bench.limiter);
    }
}
