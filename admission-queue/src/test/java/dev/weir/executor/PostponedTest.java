package dev.weir.executor;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.testkit.Oracle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pools as large as the limit, without a queue: the worker that releases a permit is busy when the next task is granted. */
class PostponedTest {
    private static final int TASKS = 200;

    private final ManagedLimiter limiter = Limiters.of("tasks", new Semaphore(1));
    private final AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(TASKS));
    private final List<Throwable> reported = new CopyOnWriteArrayList<>();
    private final ThreadPoolExecutor jdk =
            new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new SynchronousQueue<>(), task -> {
                Thread thread = new Thread(task);
                thread.setUncaughtExceptionHandler((of, thrown) -> reported.add(thrown));
                return thread;
            });
    private final ResizableThreadPool resizable = ResizableThreadPool.fixed(1, 0);

    @AfterEach
    void nothingIsLeft() throws InterruptedException {
        for (ExecutorService pool : List.of(jdk, resizable)) {
            pool.shutdown();
            assertTrue(pool.awaitTermination(2, TimeUnit.MINUTES));
        }
        Oracle.assertCapacity(1, limiter);
    }

    private static void takes(CountDownLatch ends) {
        try {
            assertTrue(ends.await(2, TimeUnit.MINUTES));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private List<CompletableFuture<?>> behindOne(Executor first, List<? extends Executor> next, CountDownLatch ends) {
        List<CompletableFuture<?>> futures = new ArrayList<>();
        futures.add(CompletableFuture.runAsync(() -> takes(ends), first));
        for (int i = 0; i < TASKS; i++) {
            futures.add(CompletableFuture.runAsync(() -> {}, next.get(i % next.size())));
        }
        return futures;
    }

    @Test
    void whatWaitedRunsOnTheWorkerThatEndsTheTaskBefore() throws Exception {
        for (Executor pool : List.of(jdk, resizable)) {
            LimitedExecutor executor = LimitedExecutor.of(pool, queue);
            CountDownLatch ends = new CountDownLatch(1);
            List<CompletableFuture<?>> futures = behindOne(executor, List.of(executor), ends);
            ends.countDown();
            for (CompletableFuture<?> future : futures) {
                future.get(2, TimeUnit.MINUTES);
            }
            executor.shutdown();
            assertTrue(executor.awaitTermination(2, TimeUnit.MINUTES));
            assertEquals(TASKS + 1, executor.ledger().succeeded());
        }
        assertEquals(List.of(), reported);
    }

    @Test
    void alsoOnThatOfAnotherExecutorOfThePool() throws Exception {
        LimitedExecutor one = LimitedExecutor.of(jdk, queue);
        LimitedExecutor other = LimitedExecutor.builder(jdk, queue)
                .request(new Request(1, 1, "other", Long.MAX_VALUE))
                .build();
        CountDownLatch ends = new CountDownLatch(1);
        List<CompletableFuture<?>> futures = behindOne(one, List.of(other, one), ends);
        ends.countDown();
        for (CompletableFuture<?> future : futures) {
            future.get(2, TimeUnit.MINUTES);
        }
        assertEquals(List.of(), reported);
    }

    @Test
    void whatOneThrowsIsReportedAndTheNextRuns() throws Exception {
        LimitedExecutor executor = LimitedExecutor.of(jdk, queue);
        CountDownLatch ends = new CountDownLatch(1);
        RuntimeException[] made = {new RuntimeException("first"), new RuntimeException("second")};
        executor.execute(() -> {
            takes(ends);
            throw made[0];
        });
        executor.execute(() -> {
            Thread.currentThread().interrupt();
            throw made[1];
        });
        Future<Boolean> last = executor.submit(() -> Thread.currentThread().isInterrupted());
        ends.countDown();
        assertEquals(false, last.get(2, TimeUnit.MINUTES));
        await().until(() -> reported.size() == 2);
        assertTrue(reported.containsAll(List.of(made)), reported::toString);
    }

    @Test
    void onePoolThatOthersOccupyRefusesLate() throws Exception {
        LimitedExecutor executor = LimitedExecutor.of(jdk, queue);
        CountDownLatch ends = new CountDownLatch(1);
        Permit held = (Permit) limiter.tryAcquire();
        Future<?> waits = executor.submit(() -> 1);
        jdk.execute(() -> takes(ends));
        held.close();
        assertTrue(waits.isDone());
        assertThrows(Exception.class, waits::get);
        ends.countDown();
    }
}
