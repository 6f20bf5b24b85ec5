package dev.weir.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.LimitExceededException;
import dev.weir.Rejection.Reason;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.testkit.Oracle;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** A pool, a limit of one before it, and tasks that hold their permit until released. */
final class ExecutorBench {
    final ExecutorService pool = Executors.newCachedThreadPool();
    final ManagedLimiter limiter = Limiters.of("tasks", new Semaphore(1));
    final CountDownLatch gate = new CountDownLatch(1);

    LimitedExecutor.Builder builder(int capacity) {
        return LimitedExecutor.builder(pool, AdmissionQueue.before(limiter, QueueSpec.of(capacity)));
    }

    Future<String> hold(ExecutorService executor) throws InterruptedException {
        CountDownLatch running = new CountDownLatch(1);
        Future<String> future = executor.submit(() -> {
            running.countDown();
            gate.await();
            return "held";
        });
        running.await();
        return future;
    }

    void assertClosed(LimitedExecutor executor) throws InterruptedException {
        gate.countDown();
        executor.shutdown();
        assertTrue(executor.awaitTermination(2, TimeUnit.MINUTES), executor.ledger()::toString);
        assertEquals(0, executor.ledger().open(), executor.ledger()::toString);
        Oracle.assertCapacity(limiter.dial().limit(), limiter);
    }

    /** Asserts that no worker is left behind. */
    void close() throws InterruptedException {
        gate.countDown();
        pool.shutdown();
        assertTrue(pool.awaitTermination(2, TimeUnit.MINUTES));
    }

    static Reason refusedBy(Throwable thrown) {
        assertInstanceOf(RejectedExecutionException.class, thrown);
        return assertInstanceOf(LimitExceededException.class, thrown.getCause())
                .rejection()
                .reason();
    }
}
