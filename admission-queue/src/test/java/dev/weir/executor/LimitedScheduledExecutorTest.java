package dev.weir.executor;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.LimitExceededException;
import dev.weir.Permit;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.testkit.Oracle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Scheduled runs under a limit. */
class LimitedScheduledExecutorTest {
    private final ManagedLimiter limiter = Limiters.of("runs", new Semaphore(1));
    private final LimitedScheduledExecutor executor = executor(Duration.ofMillis(20));

    /** For runs that must not be refused, however long others hold the permit. */
    private final LimitedScheduledExecutor patient = executor(Duration.ofDays(1));

    private LimitedScheduledExecutor executor(Duration maxWait) {
        return new LimitedScheduledExecutor(
                4,
                Executors.defaultThreadFactory(),
                AdmissionQueue.before(limiter, QueueSpec.of(100)),
                Request.ONE,
                maxWait);
    }

    @AfterEach
    void everyPermitIsBack() throws InterruptedException {
        for (LimitedScheduledExecutor each : List.of(executor, patient)) {
            each.shutdownNow();
            assertTrue(each.awaitTermination(2, TimeUnit.MINUTES));
        }
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void eachRunHoldsAPermit() throws Exception {
        assertEquals(
                1L,
                patient.schedule(() -> limiter.snapshot().inFlight(), 1, TimeUnit.MILLISECONDS)
                        .get());
        assertEquals(1L, patient.submit(() -> limiter.snapshot().inFlight()).get());
        Error error = new AssertionError("made up");
        ScheduledFuture<?> failing = patient.schedule(
                (Runnable) () -> {
                    throw error;
                },
                0,
                TimeUnit.SECONDS);
        assertSame(error, assertThrows(ExecutionException.class, failing::get).getCause());
        assertEquals(0, limiter.snapshot().inFlight());
    }

    @Test
    void aRefusedTaskFails() {
        Permit held = (Permit) limiter.tryAcquire();
        ExecutionException thrown = assertThrows(
                ExecutionException.class,
                () -> executor.schedule(() -> 1, 1, TimeUnit.MILLISECONDS).get());
        RejectedExecutionException refused = assertInstanceOf(RejectedExecutionException.class, thrown.getCause());
        LimitExceededException exceeded = assertInstanceOf(LimitExceededException.class, refused.getCause());
        assertEquals(Reason.TIMED_OUT, exceeded.rejection().reason());
        held.close();
    }

    @Test
    void aSeriesSkipsTheRunThatIsRefusedAndGoesOn() {
        Permit held = (Permit) limiter.tryAcquire();
        AtomicInteger runs = new AtomicInteger();
        ScheduledFuture<?> rate = executor.scheduleAtFixedRate(runs::incrementAndGet, 0, 1, TimeUnit.MILLISECONDS);
        ScheduledFuture<?> delay = executor.scheduleWithFixedDelay(runs::incrementAndGet, 0, 1, TimeUnit.MILLISECONDS);
        await().until(() -> executor.skipped() > 3);
        assertEquals(0, runs.get());
        held.close();
        await().until(() -> runs.get() > 10);
        assertFalse(rate.isDone() || delay.isDone());
        assertTrue(rate.cancel(false) && delay.cancel(false));
    }

    @Test
    void aSeriesThatThrowsEnds() {
        IllegalStateException made = new IllegalStateException("made up");
        ScheduledFuture<?> series = executor.scheduleAtFixedRate(
                () -> {
                    throw made;
                },
                0,
                1,
                TimeUnit.MILLISECONDS);
        assertSame(made, assertThrows(ExecutionException.class, series::get).getCause());
    }

    @Test
    void aRunThatWaitsIsInterruptedByItsCancel() throws Exception {
        Permit held = (Permit) limiter.tryAcquire();
        CountDownLatch ran = new CountDownLatch(1);
        ScheduledFuture<?> waiting = patient.schedule(ran::countDown, 0, TimeUnit.SECONDS);
        await().until(() -> patient.getActiveCount() == 1);
        assertTrue(waiting.cancel(true));
        await().until(() -> patient.getActiveCount() == 0);
        held.close();
        assertEquals(1, ran.getCount());
    }

    @Test
    void X3_invokeAllAndAnyTakeOnePermitEachAndEndWhenRefused() throws Exception {
        List<Callable<Long>> tasks = List.of(
                () -> limiter.snapshot().inFlight(), () -> limiter.snapshot().inFlight());
        for (Future<Long> each : patient.invokeAll(tasks)) {
            assertEquals(1L, each.get());
        }
        assertEquals(1L, patient.invokeAny(tasks));
        await().until(() -> limiter.snapshot().inFlight() == 0); // invokeAny does not wait for the task it cancelled
        Permit held = (Permit) limiter.tryAcquire();
        for (Future<Long> each : executor.invokeAll(tasks)) {
            assertInstanceOf(
                    RejectedExecutionException.class,
                    assertThrows(ExecutionException.class, each::get).getCause());
        }
        assertInstanceOf(
                RejectedExecutionException.class,
                assertThrows(ExecutionException.class, () -> executor.invokeAny(tasks))
                        .getCause());
        held.close();
        ExecutorCompletionService<Long> completions = new ExecutorCompletionService<>(patient);
        tasks.forEach(completions::submit);
        assertEquals(1L, completions.take().get());
        assertEquals(1L, completions.take().get());
    }
}
