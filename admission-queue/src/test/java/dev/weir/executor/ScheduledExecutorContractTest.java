package dev.weir.executor;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the JDK promises of a {@code ScheduledExecutorService} and of its pool, tested on the limited one. */
class ScheduledExecutorContractTest {
    private static final Runnable NOTHING = () -> {};

    private final ManagedLimiter limiter = Limiters.of("runs", new Semaphore(1));
    private final LimitedScheduledExecutor executor = new LimitedScheduledExecutor(
            2,
            Executors.defaultThreadFactory(),
            AdmissionQueue.before(limiter, QueueSpec.of(100)),
            Request.ONE,
            Duration.ofDays(1));

    @AfterEach
    void everyPermitIsBack() throws InterruptedException {
        executor.shutdownNow();
        assertTrue(executor.awaitTermination(2, TimeUnit.MINUTES));
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    @SuppressWarnings("NullAway")
    void badArgumentsAreRefused() {
        TimeUnit day = TimeUnit.DAYS;
        assertThrows(NullPointerException.class, () -> executor.schedule((Runnable) null, 1, day));
        assertThrows(NullPointerException.class, () -> executor.schedule((Callable<String>) null, 1, day));
        assertThrows(NullPointerException.class, () -> executor.schedule(NOTHING, 1, null));
        assertThrows(NullPointerException.class, () -> executor.schedule(() -> 1, 1, null));
        assertThrows(NullPointerException.class, () -> executor.scheduleAtFixedRate(null, 1, 1, day));
        assertThrows(NullPointerException.class, () -> executor.scheduleAtFixedRate(NOTHING, 1, 1, null));
        assertThrows(NullPointerException.class, () -> executor.scheduleWithFixedDelay(null, 1, 1, day));
        assertThrows(NullPointerException.class, () -> executor.scheduleWithFixedDelay(NOTHING, 1, 1, null));
        for (int none = -1; none <= 0; none++) {
            int period = none;
            assertThrows(IllegalArgumentException.class, () -> executor.scheduleAtFixedRate(NOTHING, 1, period, day));
            assertThrows(
                    IllegalArgumentException.class, () -> executor.scheduleWithFixedDelay(NOTHING, 1, period, day));
        }
        assertEquals(0, executor.getQueue().size());
    }

    @Test
    void runsOnceAfterItsDelay() throws Exception {
        for (long delay : new long[] {-5, 0, 1, 2_000_000}) {
            assertEquals(
                    "value",
                    executor.schedule(() -> "value", delay, TimeUnit.NANOSECONDS)
                            .get());
            assertNull(executor.schedule(NOTHING, delay, TimeUnit.NANOSECONDS).get());
        }
        assertEquals(8, executor.getCompletedTaskCount() + executor.getActiveCount());
    }

    @Test
    void runsInOrderOfDelay() throws Exception {
        executor.setCorePoolSize(1);
        CountDownLatch gate = new CountDownLatch(1);
        ScheduledFuture<?> first = executor.schedule(
                () -> {
                    gate.await();
                    return null;
                },
                0,
                TimeUnit.SECONDS);
        List<Integer> ran = new CopyOnWriteArrayList<>();
        for (int delay = 3; delay > 0; delay--) {
            int n = delay;
            executor.schedule(() -> ran.add(n), delay, TimeUnit.MILLISECONDS);
        }
        gate.countDown();
        assertNull(first.get());
        await().until(() -> ran.size() == 3);
        assertEquals(List.of(1, 2, 3), ran);
    }

    @Test
    void aFutureKnowsItsDelayAndItsKind() {
        ScheduledFuture<?> sooner = executor.schedule(NOTHING, 1, TimeUnit.DAYS);
        ScheduledFuture<?> later = executor.scheduleAtFixedRate(NOTHING, 2, 1, TimeUnit.DAYS);
        assertEquals(0, sooner.getDelay(TimeUnit.DAYS));
        assertEquals(23, sooner.getDelay(TimeUnit.HOURS));
        assertTrue(sooner.compareTo(later) < 0 && later.compareTo(sooner) > 0);
        assertFalse(((RunnableScheduledFuture<?>) sooner).isPeriodic());
        assertTrue(((RunnableScheduledFuture<?>) later).isPeriodic());
        assertTrue(executor.getQueue().contains(sooner));
    }

    @Test
    void aSeriesRunsUntilItIsCancelledAndNeverTwiceAtOnce() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger max = new AtomicInteger();
        CountDownLatch runs = new CountDownLatch(20);
        Runnable run = () -> {
            max.accumulateAndGet(inside.incrementAndGet(), Math::max);
            Thread.yield();
            inside.decrementAndGet();
            runs.countDown();
        };
        ScheduledFuture<?> rate = executor.scheduleAtFixedRate(run, 0, 100, TimeUnit.MICROSECONDS);
        ScheduledFuture<?> delay = executor.scheduleWithFixedDelay(run, 0, 100, TimeUnit.MICROSECONDS);
        runs.await();
        assertFalse(rate.isDone() || delay.isDone());
        assertTrue(rate.cancel(false) && delay.cancel(false));
        assertThrows(CancellationException.class, rate::get);
        await().until(() ->
                executor.getActiveCount() == 0 && executor.getQueue().isEmpty());
        assertEquals(1, max.get());
    }

    @Test
    void aSeriesEndsWithWhatItThrows() throws Exception {
        for (Throwable made : List.of(new IllegalStateException("made up"), new AssertionError("made up"))) {
            AtomicInteger runs = new AtomicInteger();
            Runnable third = () -> {
                if (runs.incrementAndGet() == 3) {
                    InterruptsTest.<RuntimeException>sneak(made);
                }
            };
            ScheduledFuture<?> series = executor.scheduleWithFixedDelay(third, 0, 1, TimeUnit.NANOSECONDS);
            assertSame(made, assertThrows(ExecutionException.class, series::get).getCause());
            assertEquals(3, runs.get());
        }
    }

    @Test
    void aCancelledTaskCanLeaveAtOnceOrBePurged() {
        ScheduledFuture<?> stays = executor.schedule(NOTHING, 1, TimeUnit.DAYS);
        assertTrue(stays.cancel(false));
        assertEquals(1, executor.getQueue().size());
        executor.purge();
        assertEquals(0, executor.getQueue().size());
        executor.setRemoveOnCancelPolicy(true);
        ScheduledFuture<?> leaves = executor.schedule(NOTHING, 1, TimeUnit.DAYS);
        assertTrue(leaves.cancel(false));
        assertEquals(0, executor.getQueue().size());
        ScheduledFuture<?> removed = executor.schedule(NOTHING, 1, TimeUnit.DAYS);
        assertTrue(executor.remove((Runnable) removed));
        assertFalse(removed.isDone());
    }

    @Test
    void afterShutdownDelayedTasksRunAndSeriesEnd() throws Exception {
        ScheduledFuture<String> delayed = executor.schedule(() -> "ran", 5, TimeUnit.MILLISECONDS);
        ScheduledFuture<?> series = executor.scheduleAtFixedRate(NOTHING, 1, 1, TimeUnit.DAYS);
        executor.shutdown();
        assertTrue(series.isCancelled());
        assertEquals("ran", delayed.get());
        assertTrue(executor.awaitTermination(2, TimeUnit.MINUTES));
        assertThrows(RejectedExecutionException.class, () -> executor.schedule(NOTHING, 1, TimeUnit.DAYS));
        assertThrows(RejectedExecutionException.class, () -> executor.schedule(() -> 1, 1, TimeUnit.DAYS));
        assertThrows(
                RejectedExecutionException.class, () -> executor.scheduleAtFixedRate(NOTHING, 1, 1, TimeUnit.DAYS));
        assertThrows(
                RejectedExecutionException.class, () -> executor.scheduleWithFixedDelay(NOTHING, 1, 1, TimeUnit.DAYS));
    }

    @Test
    void afterShutdownItFollowsItsPolicies() throws Exception {
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        executor.setContinueExistingPeriodicTasksAfterShutdownPolicy(true);
        CountDownLatch runs = new CountDownLatch(3);
        ScheduledFuture<?> delayed = executor.schedule(NOTHING, 1, TimeUnit.DAYS);
        ScheduledFuture<?> series = executor.scheduleAtFixedRate(runs::countDown, 1, 1, TimeUnit.MILLISECONDS);
        executor.shutdown();
        assertTrue(delayed.isCancelled());
        runs.await();
        assertFalse(series.isDone() || executor.isTerminated());
        assertTrue(series.cancel(false));
        assertTrue(executor.awaitTermination(2, TimeUnit.MINUTES));
    }

    @Test
    void shutdownNowReturnsWhatHasNotRun() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        ScheduledFuture<?> runs = executor.schedule(
                () -> {
                    running.countDown();
                    new CountDownLatch(1).await();
                    return null;
                },
                0,
                TimeUnit.SECONDS);
        running.await();
        ScheduledFuture<?> delayed = executor.schedule(NOTHING, 1, TimeUnit.DAYS);
        assertEquals(List.of(delayed), executor.shutdownNow());
        assertTrue(executor.awaitTermination(2, TimeUnit.MINUTES));
        assertEquals(
                InterruptedException.class,
                assertThrows(ExecutionException.class, runs::get).getCause().getClass());
        assertFalse(delayed.isDone());
    }

    /* A worker waits for its permit: the task has begun, as far as the pool knows. */
    @Test
    void aTaskThatIsCancelledWhileItWaitsForItsPermitDoesNotRun() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        ScheduledFuture<?> holds = executor.schedule(
                () -> {
                    running.countDown();
                    gate.await();
                    return null;
                },
                0,
                TimeUnit.SECONDS);
        running.await();
        AtomicInteger ran = new AtomicInteger();
        ScheduledFuture<?> waits = executor.schedule(ran::incrementAndGet, 0, TimeUnit.SECONDS);
        await().until(() -> executor.getActiveCount() == 2);
        assertTrue(waits.cancel(false));
        gate.countDown();
        assertNull(holds.get());
        executor.shutdown();
        assertTrue(executor.awaitTermination(2, TimeUnit.MINUTES));
        assertEquals(0, ran.get());
    }
}
