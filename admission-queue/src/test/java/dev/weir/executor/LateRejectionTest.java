package dev.weir.executor;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
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
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tasks that are refused after their submitters have gone on: no future hangs, nothing vanishes unreported. */
class LateRejectionTest {
    private static final Duration WAIT = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final ManagedLimiter limiter =
            Limiters.builder("tasks", new Semaphore(1)).ticker(time).build();
    private final AdmissionQueue queue = AdmissionQueue.builder("tasks", limiter, QueueSpec.of(10))
            .ticker(time)
            .alarm(time::alarm)
            .executor(Runnable::run)
            .build();
    private final ThreadPoolExecutor pool = pool(new ThreadPoolExecutor.AbortPolicy());
    private final List<Throwable> reported = new ArrayList<>();

    private static ThreadPoolExecutor pool(RejectedExecutionHandler handler) {
        return new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(1), handler);
    }

    private LimitedExecutor executor(Executor delegate) {
        return LimitedExecutor.builder(delegate, queue).maxWait(WAIT).build();
    }

    private void reportHere() {
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> reported.add(thrown));
    }

    @AfterEach
    void nothingIsLeft() throws InterruptedException {
        Thread.currentThread().setUncaughtExceptionHandler(null);
        pool.shutdown();
        assertTrue(pool.awaitTermination(2, TimeUnit.MINUTES));
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void X1_aTaskWithoutAFutureDoesNotTimeOut() throws Exception {
        for (RejectionPolicy policy : List.of(RejectionPolicy.abort(), RejectionPolicy.callerRuns())) {
            doesNotTimeOut(LimitedExecutor.builder(pool, queue)
                    .maxWait(WAIT)
                    .rejecting(policy)
                    .build());
        }
    }

    private void doesNotTimeOut(LimitedExecutor executor) throws Exception {
        Permit held = (Permit) limiter.tryAcquire();
        CountDownLatch ran = new CountDownLatch(1);
        CompletableFuture<String> supplied = CompletableFuture.supplyAsync(() -> "ran", executor);
        executor.execute(ran::countDown);
        time.advance(WAIT.multipliedBy(2));
        assertEquals(2, queue.snapshot().length());
        held.close();
        assertEquals("ran", supplied.get());
        ran.await();
        await().until(() -> executor.ledger().succeeded() == 2);
    }

    @Test
    void X1_aTaskWithAFutureTimesOut() {
        LimitedExecutor executor = executor(pool);
        Permit held = (Permit) limiter.tryAcquire();
        Future<String> submitted = executor.submit(() -> "late");
        FutureTask<String> given = new FutureTask<>(() -> "late");
        executor.execute(given);
        time.advance(WAIT);
        assertEquals(
                Reason.TIMED_OUT,
                ExecutorBench.refusedBy(
                        assertThrows(ExecutionException.class, submitted::get).getCause()));
        assertTrue(given.isCancelled());
        assertEquals(2, executor.ledger().rejected());
        held.close();
    }

    @Test
    void X1_whatIsRefusedAtOnceIsThrown() {
        LimitedExecutor executor =
                LimitedExecutor.builder(pool, queue).maxWait(Duration.ZERO).build();
        Permit held = (Permit) limiter.tryAcquire();
        assertThrows(RejectedExecutionException.class, () -> CompletableFuture.supplyAsync(() -> "refused", executor));
        held.close();
    }

    @Test
    void X1_aRejectionWithoutAFutureIsReported() {
        LimitedExecutor executor = executor(pool);
        Permit held = (Permit) limiter.tryAcquire();
        reportHere();
        executor.execute(() -> {});
        queue.close();
        assertEquals(Reason.CANCELLED, ExecutorBench.refusedBy(reported.get(0)));
        assertEquals(1, executor.ledger().rejected());
        held.close();
    }

    @Test
    void X1_aHandlerThatFailsIsCounted() {
        LimitedExecutor executor = executor(pool);
        Permit held = (Permit) limiter.tryAcquire();
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> {
            throw new IllegalStateException("made up");
        });
        executor.execute(() -> {});
        queue.close();
        assertEquals(new ExecutorLedger(1, 0, 0, 0, 1, 1), executor.ledger());
        held.close();
    }

    @Test
    void X5_aPoolThatIsFullWhenATaskIsGrantedRefusesItsFuture() throws Exception {
        LimitedExecutor executor = executor(pool);
        CountDownLatch busy = new CountDownLatch(1);
        pool.execute(() -> join(busy));
        Permit held = (Permit) limiter.tryAcquire();
        Future<String> waiting = executor.submit(() -> "waiting");
        pool.execute(() -> {});
        held.close();
        assertEquals(
                Reason.QUEUE_FULL,
                ExecutorBench.refusedBy(
                        assertThrows(ExecutionException.class, waiting::get).getCause()));
        busy.countDown();
    }

    @Test
    void X5_aPoolThatDiscardsSaysSo() throws Exception {
        for (RejectedExecutionHandler discards :
                List.of(new ThreadPoolExecutor.DiscardPolicy(), new ThreadPoolExecutor.DiscardOldestPolicy())) {
            ThreadPoolExecutor discarding = pool(discards);
            limiter.dial().setLimit(4);
            LimitedExecutor executor = executor(discarding);
            CountDownLatch busy = new CountDownLatch(1);
            discarding.execute(() -> join(busy));
            List<Future<Integer>> futures = new ArrayList<>();
            int thrown = 0;
            for (int i = 0; i < 4; i++) {
                int n = i;
                try {
                    futures.add(executor.submit(() -> n));
                } catch (RejectedExecutionException e) {
                    thrown++;
                }
            }
            busy.countDown();
            int ran = 0;
            for (Future<Integer> future : futures) {
                try {
                    int n = future.get();
                    assertEquals(discards instanceof ThreadPoolExecutor.DiscardPolicy ? 0 : 3, n);
                    ran++;
                } catch (ExecutionException e) {
                    assertInstanceOf(RejectedExecutionException.class, e.getCause());
                    thrown++;
                }
            }
            assertEquals(1, ran);
            assertEquals(3, thrown);
            discarding.shutdown();
            assertTrue(discarding.awaitTermination(2, TimeUnit.MINUTES));
            executor.shutdown();
            assertTrue(executor.awaitTermination(2, TimeUnit.MINUTES));
            assertEquals(new ExecutorLedger(4, 1, 0, 0, 3, 0), executor.ledger());
            Oracle.assertCapacity(4, limiter);
            limiter.dial().setLimit(1);
        }
    }

    /* What such a pool does to tasks of others stays as it was. */
    @Test
    void X5_aPoolThatDiscardsDoesSoToOthers() throws Exception {
        for (boolean oldest : new boolean[] {false, true}) {
            ThreadPoolExecutor discarding = pool(
                    oldest ? new ThreadPoolExecutor.DiscardOldestPolicy() : new ThreadPoolExecutor.DiscardPolicy());
            LimitedExecutor unused = executor(discarding);
            CountDownLatch busy = new CountDownLatch(1);
            LinkedBlockingQueue<String> ran = new LinkedBlockingQueue<>();
            discarding.execute(() -> join(busy));
            discarding.execute(() -> ran.add("first"));
            discarding.execute(() -> ran.add("second"));
            busy.countDown();
            discarding.shutdown();
            assertTrue(discarding.awaitTermination(2, TimeUnit.MINUTES));
            discarding.execute(() -> ran.add("after shutdown"));
            assertEquals(List.of(oldest ? "second" : "first"), List.copyOf(ran));
        }
    }

    /* Found when the garbage collector has run. */
    @Test
    void X5_aDelegateThatDropsATaskReturnsItsPermit() {
        reportHere();
        for (Executor drops : List.<Executor>of(task -> {}, new Discarding())) {
            LimitedExecutor executor = executor(drops);
            Future<String> granted = executor.submit(() -> "never runs");
            Future<String> waiting = executor.submit(() -> "never runs");
            await().until(() -> {
                System.gc();
                return granted.isDone() && waiting.isDone();
            });
            assertEquals(
                    Reason.QUEUE_FULL,
                    ExecutorBench.refusedBy(
                            assertThrows(ExecutionException.class, granted::get).getCause()));
            await().until(() -> executor.ledger().rejected() == 2);
            assertFalse(executor.isShutdown());
            Oracle.assertCapacity(1, limiter);
        }
    }

    /** A subclass is not known to run what it takes. */
    private static final class Discarding extends ThreadPoolExecutor {
        Discarding() {
            super(1, 1, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(1));
        }

        @Override
        public void execute(Runnable task) {
            assertFalse(isShutdown());
        }
    }

    private static void join(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
