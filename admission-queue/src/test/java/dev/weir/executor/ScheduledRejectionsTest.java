package dev.weir.executor;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.LimitExceededException;
import dev.weir.Permit;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Counts;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.testkit.Oracle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Scheduled runs that are refused or cancelled: no future hangs, nothing vanishes unreported, nothing runs in vain. */
class ScheduledRejectionsTest {
    private final ManagedLimiter limiter = Limiters.of("runs", new Semaphore(1));
    private final Counts counts = limiter.counts();
    private final AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(1));
    private final List<Throwable> reported = new CopyOnWriteArrayList<>();
    private final Permit held = (Permit) limiter.tryAcquire();
    private LimitedScheduledExecutor executor = executor(Duration.ZERO);

    private LimitedScheduledExecutor executor(Duration maxWait) {
        return new LimitedScheduledExecutor(
                4,
                task -> {
                    Thread thread = new Thread(task);
                    thread.setUncaughtExceptionHandler((of, thrown) -> reported.add(thrown));
                    return thread;
                },
                queue,
                Request.ONE,
                maxWait);
    }

    @AfterEach
    void everyPermitIsBack() throws InterruptedException {
        held.close();
        executor.shutdownNow();
        assertTrue(executor.awaitTermination(2, TimeUnit.MINUTES));
        Oracle.assertCapacity(1, limiter);
    }

    private static <T> T in(CompletableFuture<T> future) throws Exception {
        return future.get(2, TimeUnit.MINUTES);
    }

    @Test
    void aFutureThatWasGivenIsCancelled() {
        FutureTask<Integer> given = new FutureTask<>(() -> 1);
        executor.execute(given);
        assertThrows(CancellationException.class, () -> given.get(2, TimeUnit.MINUTES));
    }

    @Test
    void aTaskWithoutAFutureWaitsForItsPermit() throws Exception {
        AtomicInteger ran = new AtomicInteger();
        CompletableFuture<Integer> first = CompletableFuture.supplyAsync(() -> 1, executor);
        CompletableFuture<Integer> second = CompletableFuture.supplyAsync(() -> 2, executor);
        executor.execute(ran::incrementAndGet);
        await().until(() -> executor.getActiveCount() == 3 && queue.snapshot().length() == 1);
        held.close();
        assertEquals(1, in(first));
        assertEquals(2, in(second));
        await().until(() -> ran.get() == 1);
        assertEquals(0, counts.refused(Reason.QUEUE_FULL));
        assertEquals(List.of(), reported);
    }

    @Test
    void whatWillNeverRunIsReported() {
        executor.execute(() -> {});
        await().until(() -> queue.snapshot().length() == 1);
        queue.close();
        await().until(() -> reported.size() == 1);
        LimitExceededException why = assertInstanceOf(
                LimitExceededException.class,
                assertInstanceOf(RejectedExecutionException.class, reported.get(0))
                        .getCause());
        assertEquals(Reason.CANCELLED, why.rejection().reason());
        assertEquals(1, counts.refused(Reason.CANCELLED));
    }

    @Test
    void whatIsInterruptedBeforeItRunsIsReported() {
        FutureTask<Integer> given = new FutureTask<>(() -> 1);
        executor.shutdownNow();
        executor = executor(Duration.ofDays(1));
        executor.execute(given);
        await().until(() -> queue.snapshot().length() == 1);
        executor.execute(() -> {});
        await().until(() -> executor.getActiveCount() == 2);
        executor.shutdownNow();
        await().until(() -> reported.size() == 1);
        assertThrows(CancellationException.class, () -> given.get(2, TimeUnit.MINUTES));
    }

    @Test
    void aSeriesThatIsCancelledWhileItWaitsDoesNotRun() throws Exception {
        List<Function<Runnable, ScheduledFuture<?>>> series = List.of(
                run -> executor.scheduleAtFixedRate(run, 0, 1, TimeUnit.MILLISECONDS),
                run -> executor.scheduleWithFixedDelay(run, 0, 1, TimeUnit.MILLISECONDS));
        executor.shutdownNow();
        executor = executor(Duration.ofDays(1));
        AtomicInteger ran = new AtomicInteger();
        Permit one = held;
        for (Function<Runnable, ScheduledFuture<?>> each : series) {
            ScheduledFuture<?> waits = each.apply(ran::incrementAndGet);
            await().until(() -> queue.snapshot().length() == 1);
            assertTrue(waits.cancel(false));
            one.close();
            await().until(() -> executor.getActiveCount() == 0);
            assertEquals(0, ran.get());
            one = (Permit) limiter.tryAcquire();
        }
        one.close();
    }
}
