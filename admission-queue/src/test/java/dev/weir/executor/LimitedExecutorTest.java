package dev.weir.executor;

import static org.awaitility.Awaitility.await;
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
import io.github.resilience4j.core.ContextPropagator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tasks under a limit: who runs, who waits, who is refused, and what each future says in the end. */
class LimitedExecutorTest {
    private static final Duration SHORT = Duration.ofMillis(30);

    private final ExecutorBench bench = new ExecutorBench();

    @AfterEach
    void nothingIsLeft() throws InterruptedException {
        bench.close();
    }

    @Test
    void runsAsManyAtOnceAsTheLimitSays() throws Exception {
        bench.limiter.dial().setLimit(3);
        LimitedExecutor executor = bench.builder(100).build();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger max = new AtomicInteger();
        List<Future<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            int n = i;
            all.add(executor.submit(() -> {
                max.accumulateAndGet(inside.incrementAndGet(), Math::max);
                Thread.yield();
                inside.decrementAndGet();
                return n;
            }));
        }
        for (int i = 0; i < 100; i++) {
            assertEquals(i, all.get(i).get());
        }
        assertTrue(max.get() <= 3, max::toString);
        bench.assertClosed(executor);
        assertEquals(new ExecutorLedger(100, 100, 0, 0, 0, 0), executor.ledger());
    }

    @Test
    void overAnyExecutor() throws Exception {
        for (Consumer<Runnable> delegate : List.<Consumer<Runnable>>of(
                Runnable::run, ForkJoinPool.commonPool()::execute, run -> new Thread(run).start())) {
            LimitedExecutor executor =
                    LimitedExecutor.of(delegate::accept, AdmissionQueue.before(bench.limiter, QueueSpec.of(1_000)));
            List<Future<Integer>> all = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                int n = i;
                all.add(executor.submit(() -> n));
            }
            for (int i = 0; i < 500; i++) {
                assertEquals(i, all.get(i).get());
            }
            executor.shutdown();
            assertTrue(executor.awaitTermination(2, TimeUnit.MINUTES));
            assertEquals(500, executor.ledger().succeeded());
        }
    }

    @Test
    void aFutureThatIsDoneHasReturnedItsPermit() throws Exception {
        LimitedExecutor executor = bench.builder(0).build();
        for (int i = 0; i < 1_000; i++) {
            assertEquals("next", executor.submit(() -> "next").get());
        }
        bench.assertClosed(executor);
    }

    /* The pool of seed 001: get() returns before the worker is back at the queue, so the next submission is refused
    without a running task; and what it refuses it can only throw. */
    @Test
    void brokenTwin_aSynchronousQueuePoolRefusesAnIdleWorker() throws Exception {
        ThreadPoolExecutor naive = new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new SynchronousQueue<>());
        try {
            int refused = 0;
            for (int i = 0; i < 100_000 && refused == 0; i++) {
                try {
                    naive.submit(() -> "next").get();
                } catch (RejectedExecutionException e) {
                    refused++;
                }
            }
            assertEquals(1, refused);
        } finally {
            naive.shutdown();
        }
    }

    @Test
    void X1_shutdownNowEndsEveryFuture() throws Exception {
        LimitedExecutor executor = bench.builder(10).owningDelegate().build();
        Future<String> running = bench.hold(executor);
        Future<String> waiting = executor.submit(() -> "waiting");
        Runnable bare = () -> {};
        executor.execute(bare);
        List<Runnable> never = executor.shutdownNow();
        assertEquals(2, never.size());
        assertTrue(never.contains(bare) && never.contains(waiting));
        assertTrue(running.isDone() && waiting.isCancelled());
        assertThrows(RejectedExecutionException.class, () -> executor.submit(() -> 1));
        assertTrue(executor.awaitTermination(2, TimeUnit.MINUTES));
        assertTrue(executor.isTerminated() && bench.pool.isTerminated());
        assertEquals(new ExecutorLedger(4, 0, 0, 3, 1, 0), executor.ledger());
        Oracle.assertCapacity(1, bench.limiter);
    }

    @Test
    void X1_shutdownLetsWaitingTasksRun() throws Exception {
        LimitedExecutor executor = bench.builder(10).owningDelegate().build();
        bench.hold(executor);
        Future<String> waiting = executor.submit(() -> "waited");
        executor.shutdown();
        assertFalse(bench.pool.isShutdown());
        bench.gate.countDown();
        assertEquals("waited", waiting.get());
        bench.assertClosed(executor);
        assertTrue(bench.pool.isShutdown());
    }

    @Test
    void X2_aPermitIsHeldUntilTheTaskReallyEnds() throws Exception {
        LimitedExecutor executor = bench.builder(10).build();
        CountDownLatch running = new CountDownLatch(1);
        Future<?> stubborn = executor.submit(() -> {
            running.countDown();
            for (boolean done = false; !done; ) {
                try {
                    bench.gate.await();
                    done = true;
                } catch (InterruptedException e) {
                    Thread.currentThread().isInterrupted();
                }
            }
        });
        running.await();
        assertTrue(stubborn.cancel(true));
        assertTrue(stubborn.isDone());
        Future<String> next = executor.submit(() -> "next");
        assertEquals(1, bench.limiter.snapshot().inFlight());
        assertFalse(next.isDone());
        bench.gate.countDown();
        assertEquals("next", next.get());
        bench.assertClosed(executor);
        assertEquals(1, executor.ledger().cancelled());
    }

    @Test
    void X2_cancelledBeforeItRunsItLeavesAtOnce() throws Exception {
        AdmissionQueue queue = AdmissionQueue.before(bench.limiter, QueueSpec.of(10));
        List<Runnable> unrun = new ArrayList<>();
        LimitedExecutor executor = LimitedExecutor.of(unrun::add, queue);
        Future<String> granted = executor.submit(() -> "granted");
        Future<String> waiting = executor.submit(() -> "waiting");
        assertEquals(1, queue.snapshot().length());
        assertTrue(waiting.cancel(false));
        assertEquals(0, queue.snapshot().length());
        assertTrue(granted.cancel(false));
        Oracle.assertCapacity(1, bench.limiter);
        unrun.forEach(Runnable::run);
        assertThrows(CancellationException.class, granted::get);
        bench.assertClosed(executor);
    }

    @Test
    void X2_theNextInTheQueueRunsWhenOneIsCancelled() throws Exception {
        List<Runnable> given = new ArrayList<>();
        LimitedExecutor executor =
                LimitedExecutor.of(given::add, AdmissionQueue.before(bench.limiter, QueueSpec.of(10)));
        Future<String> first = executor.submit(() -> "first");
        Future<String> next = executor.submit(() -> "next");
        assertTrue(first.cancel(false));
        assertEquals(2, given.size());
        given.forEach(Runnable::run);
        assertEquals("next", next.get());
        bench.assertClosed(executor);
    }

    @Test
    void X2_anErrorReturnsThePermit() throws Exception {
        LimitedExecutor executor = bench.builder(10).build();
        Error error = new StackOverflowError("made up");
        Future<?> failing = executor.submit((Runnable) () -> {
            throw error;
        });
        assertSame(error, assertThrows(ExecutionException.class, failing::get).getCause());
        assertEquals("next", executor.submit(() -> "next").get());
        bench.assertClosed(executor);
        assertEquals(1, executor.ledger().failed());
    }

    @Test
    void aBareTaskThrowsOnItsWorker() throws Exception {
        Error error = new AssertionError("made up");
        LimitedExecutor executor =
                LimitedExecutor.of(Runnable::run, AdmissionQueue.before(bench.limiter, QueueSpec.of(1)));
        assertSame(
                error,
                assertThrows(
                        AssertionError.class,
                        () -> executor.execute(() -> {
                            throw error;
                        })));
        bench.assertClosed(executor);
        assertEquals(1, executor.ledger().failed());
    }

    @Test
    void X3_theCauseIsTheSameObject() throws Exception {
        LimitedExecutor executor = bench.builder(10).build();
        Exception thrown = new ExecutionException(new IllegalStateException());
        Future<?> failing = executor.submit((Callable<?>) () -> {
            throw thrown;
        });
        assertSame(thrown, assertThrows(ExecutionException.class, failing::get).getCause());
        bench.assertClosed(executor);
    }

    @Test
    void X3_invokeAllAndAnyReturnThePermitsOfLosers() throws Exception {
        LimitedExecutor executor = bench.builder(100).build();
        List<Callable<Integer>> tasks =
                IntStream.range(0, 20).<Callable<Integer>>mapToObj(i -> () -> i).toList();
        List<Future<Integer>> all = executor.invokeAll(tasks);
        for (int i = 0; i < 20; i++) {
            assertEquals(i, all.get(i).get());
        }
        bench.limiter.dial().setLimit(2);
        Callable<String> hangs = () -> {
            bench.gate.await();
            return "loser";
        };
        Callable<String> fails = () -> {
            throw new IllegalStateException();
        };
        assertEquals("winner", executor.invokeAny(List.of(hangs, fails, () -> "winner", hangs)));
        assertInstanceOf(
                IllegalStateException.class,
                assertThrows(ExecutionException.class, () -> executor.invokeAny(List.of(fails, fails)))
                        .getCause());
        await().until(() -> bench.limiter.snapshot().inFlight() == 0);
        Oracle.assertCapacity(2, bench.limiter);
        ExecutorCompletionService<Integer> completions = new ExecutorCompletionService<>(executor);
        tasks.forEach(completions::submit);
        int sum = 0;
        for (int i = 0; i < 20; i++) {
            sum += completions.take().get();
        }
        assertEquals(190, sum);
        bench.assertClosed(executor);
    }

    @Test
    void X3_invokeAnyEndsWhenAllAreRefusedInTheQueue() throws Exception {
        LimitedExecutor executor = bench.builder(10).maxWait(SHORT).build();
        bench.hold(executor);
        ExecutionException thrown =
                assertThrows(ExecutionException.class, () -> executor.invokeAny(List.of(() -> 1, () -> 2)));
        assertEquals(Reason.TIMED_OUT, ExecutorBench.refusedBy(thrown.getCause()));
        bench.assertClosed(executor);
    }

    private static final class Carried implements ContextPropagator<String> {
        private final ThreadLocal<String> value = new ThreadLocal<>();

        @Override
        public Supplier<Optional<String>> retrieve() {
            return () -> Optional.ofNullable(value.get());
        }

        @Override
        public Consumer<Optional<String>> copy() {
            return carried -> value.set(carried.orElseThrow());
        }

        @Override
        public Consumer<Optional<String>> clear() {
            return carried -> value.remove();
        }
    }

    @Test
    void X4_contextIsCarriedAndTheFormerRestored() throws Exception {
        Carried carried = new Carried();
        ThreadPoolExecutor one = new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
        try {
            one.submit(() -> carried.value.set("worker's")).get();
            LimitedExecutor executor = LimitedExecutor.builder(
                            one, AdmissionQueue.before(bench.limiter, QueueSpec.of(10)))
                    .propagating(List.of(carried))
                    .build();
            carried.value.set("mine");
            Future<String> seen = executor.submit(carried.value::get);
            Future<?> throwing = executor.submit((Runnable) () -> {
                carried.value.set("left behind");
                throw new IllegalStateException();
            });
            carried.value.remove();
            Future<String> none = executor.submit(carried.value::get);
            assertEquals("mine", seen.get());
            assertThrows(ExecutionException.class, throwing::get);
            assertNull(none.get());
            assertEquals("worker's", one.submit(carried.value::get).get());
            bench.assertClosed(executor);
        } finally {
            one.shutdown();
        }
    }

    @Test
    void X4_anInterruptEndsWithItsTask() throws Exception {
        ThreadPoolExecutor one = new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
        try {
            LimitedExecutor executor =
                    LimitedExecutor.of(one, AdmissionQueue.before(bench.limiter, QueueSpec.of(1_000)));
            List<Future<Boolean>> later = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                executor.execute(() -> Thread.currentThread().interrupt());
                later.add(executor.submit(() -> Thread.currentThread().isInterrupted()));
            }
            for (Future<Boolean> interrupted : later) {
                assertFalse(interrupted.get());
            }
            bench.assertClosed(executor);
        } finally {
            one.shutdown();
        }
    }

    @Test
    void isResizedWhileItRuns() throws Exception {
        AdmissionQueue queue = AdmissionQueue.before(bench.limiter, QueueSpec.of(2));
        LimitedExecutor executor = LimitedExecutor.of(bench.pool, queue);
        bench.hold(executor);
        Future<String> second = executor.submit(() -> "second");
        Future<String> third = executor.submit(() -> "third");
        assertThrows(RejectedExecutionException.class, () -> executor.submit(() -> 1));
        queue.reconfigure(QueueSpec.of(1));
        assertEquals(2, queue.length());
        assertEquals(
                Reason.QUEUE_FULL,
                ExecutorBench.refusedBy(
                        assertThrows(RejectedExecutionException.class, () -> executor.submit(() -> 1))));
        bench.limiter.dial().setLimit(2);
        assertEquals("second", second.get());
        assertEquals("third", third.get());
        queue.close();
        assertThrows(RejectedExecutionException.class, () -> executor.submit(() -> 1));
        bench.gate.countDown();
        executor.shutdown();
        assertTrue(executor.awaitTermination(2, TimeUnit.MINUTES));
        Oracle.assertCapacity(2, bench.limiter);
    }
}
