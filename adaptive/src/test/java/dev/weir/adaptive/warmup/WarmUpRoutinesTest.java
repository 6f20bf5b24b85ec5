package dev.weir.adaptive.warmup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.warmup.WarmUpReport.Result;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WarmUpRoutinesTest {
    private final VirtualTime time = new VirtualTime();
    private final ExecutorService executor = Executors.newFixedThreadPool(2);

    @AfterEach
    void shutDown() {
        executor.shutdownNow();
    }

    @Test
    void runsThemAndTellsHowLongEachTook() throws Exception {
        List<WarmUpReport> reports = WarmUpRoutines.of(List.of(
                        WarmUpRoutine.named("cache", () -> time.advance(Duration.ofSeconds(3))),
                        WarmUpRoutine.named("endpoints", () -> time.advance(Duration.ofSeconds(5)))))
                .within(Duration.ofSeconds(20))
                .by(time)
                .run(Runnable::run);
        assertEquals(
                List.of(
                        new WarmUpReport("cache", Result.DONE, 3_000_000_000L, null),
                        new WarmUpReport("endpoints", Result.DONE, 5_000_000_000L, null)),
                reports);
    }

    @Test
    void runsSeveralAtATime() throws Exception {
        CyclicBarrier together = new CyclicBarrier(2);
        List<WarmUpReport> reports =
                WarmUpRoutines.of(List.of(together::await, together::await)).run(executor);
        assertTrue(reports.stream().allMatch(report -> report.result() == Result.DONE), reports::toString);
    }

    @Test
    void aFailureIsReportedAndStopsNothing() throws Exception {
        Error failure = new StackOverflowError();
        AtomicBoolean second = new AtomicBoolean();
        List<WarmUpReport> reports = WarmUpRoutines.of(List.of(
                        WarmUpRoutine.named("bad", () -> {
                            throw failure;
                        }),
                        WarmUpRoutine.named("good", () -> second.set(true))))
                .by(time)
                .run(Runnable::run);
        assertEquals(new WarmUpReport("bad", Result.FAILED, 0, failure), reports.get(0));
        assertEquals(Result.DONE, reports.get(1).result());
        assertTrue(second.get());
    }

    @Test
    void whatTheExecutorWillNotRunHasFailed() throws Exception {
        RejectedExecutionException rejection = new RejectedExecutionException();
        List<WarmUpReport> reports = WarmUpRoutines.of(List.of(WarmUpRoutine.named("a", () -> {})))
                .run(task -> {
                    throw rejection;
                });
        assertSame(rejection, reports.get(0).failure());
        assertEquals(Result.FAILED, reports.get(0).result());
    }

    @Test
    void whatTheExecutorCancelsHasFailed() throws Exception {
        List<WarmUpReport> reports = WarmUpRoutines.of(List.of(WarmUpRoutine.named("a", () -> {})))
                .run(task -> ((FutureTask<?>) task).cancel(false));
        assertEquals(Result.FAILED, reports.get(0).result());
    }

    @Test
    void onceTheTimeIsOverTheyAreInterruptedAndNoneBegins() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(2);
        AtomicBoolean third = new AtomicBoolean();
        Semaphore begun = new Semaphore(0);
        AtomicInteger handed = new AtomicInteger();
        WarmUpRoutine hanging = () -> {
            begun.release();
            try {
                new CountDownLatch(1).await();
            } finally {
                interrupted.countDown();
            }
        };
        List<WarmUpReport> reports = WarmUpRoutines.of(List.of(hanging, hanging, () -> third.set(true)))
                .within(Duration.ofMillis(50))
                .by(time)
                .run(task -> {
                    executor.execute(task);
                    if (handed.incrementAndGet() <= 2) {
                        begun.acquireUninterruptibly();
                        time.advance(Duration.ofMillis(25));
                    }
                });
        assertTrue(interrupted.await(2, TimeUnit.MINUTES));
        for (WarmUpReport report : reports) {
            assertEquals(Result.TIMED_OUT, report.result());
            assertNull(report.failure());
        }
        assertTrue(reports.get(0).nanos() > 0);
        assertEquals(0, reports.get(2).nanos());
        executor.shutdown();
        assertTrue(executor.awaitTermination(2, TimeUnit.MINUTES));
        assertEquals(false, third.get());
    }

    @Test
    void onOneThreadALateOneIsDoneAndTheNextNeverBegins() throws Exception {
        AtomicBoolean second = new AtomicBoolean();
        List<WarmUpReport> reports = WarmUpRoutines.of(
                        List.of(() -> time.advance(Duration.ofSeconds(21)), () -> second.set(true)))
                .within(Duration.ofSeconds(20))
                .by(time)
                .run(Runnable::run);
        assertEquals(Result.DONE, reports.get(0).result());
        assertEquals(Result.TIMED_OUT, reports.get(1).result());
        assertEquals(false, second.get());
    }

    @Test
    void anInterruptedCallerTakesThemWithIt() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        Thread caller = new Thread(() -> assertThrows(
                InterruptedException.class,
                () -> WarmUpRoutines.of(List.of(() -> {
                            begun.countDown();
                            try {
                                new CountDownLatch(1).await();
                            } finally {
                                interrupted.countDown();
                            }
                        }))
                        .run(executor)));
        caller.start();
        begun.await();
        caller.interrupt();
        assertTrue(interrupted.await(2, TimeUnit.MINUTES));
        caller.join();
    }

    @Test
    void noneAtAllIsAtOnce() throws Exception {
        assertEquals(List.of(), WarmUpRoutines.of(List.of()).run(executor));
        assertThrows(
                IllegalArgumentException.class,
                () -> WarmUpRoutines.of(List.of()).within(Duration.ZERO));
    }
}
