package dev.weir.queue;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.LimitExceededException;
import dev.weir.Rejection.Reason;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.Oracle;
import io.github.resilience4j.core.ContextPropagator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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
import org.junit.jupiter.api.Timeout;

/** Tasks under a limit: who runs, who waits, who is refused, and what each future says in the end. */
@Timeout(60)
class LimitedExecutorTest {
    private static final Duration SHORT = Duration.ofMillis(30);

    private final ExecutorService pool = Executors.newCachedThreadPool();
    private final ManagedLimiter limiter = Limiters.of("tasks", new Semaphore(1));
    private final CountDownLatch gate = new CountDownLatch(1);

    private LimitedExecutor.Builder builder(int line) {
        return LimitedExecutor.builder(pool, AdmissionQueue.before(limiter, QueueSpec.of(line)));
    }

    private Future<String> hold(ExecutorService executor) throws InterruptedException {
        CountDownLatch running = new CountDownLatch(1);
        Future<String> future = executor.submit(() -> {
            running.countDown();
            gate.await();
            return "held";
        });
        running.await();
        return future;
    }

    private void assertClosed(LimitedExecutor executor) throws InterruptedException {
        gate.countDown();
        executor.shutdown();
        assertTrue(executor.awaitTermination(10, TimeUnit.SECONDS), executor.ledger()::toString);
        assertEquals(0, executor.ledger().open(), executor.ledger()::toString);
        Oracle.assertCapacity(limiter.dial().limit(), limiter);
    }

    @AfterEach
    void nothingIsLeft() throws InterruptedException {
        gate.countDown();
        pool.shutdown();
        assertTrue(pool.awaitTermination(10, TimeUnit.SECONDS));
    }

    private static Reason refusedBy(Throwable thrown) {
        assertInstanceOf(RejectedExecutionException.class, thrown);
        return assertInstanceOf(LimitExceededException.class, thrown.getCause())
                .rejection()
                .reason();
    }

    @Test
    void runsAsManyAtOnceAsTheLimitSays() throws Exception {
        limiter.dial().setLimit(3);
        LimitedExecutor executor = builder(100).build();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Future<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            int n = i;
            all.add(executor.submit(() -> {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                Thread.yield();
                inside.decrementAndGet();
                return n;
            }));
        }
        for (int i = 0; i < 100; i++) {
            assertEquals(i, all.get(i).get());
        }
        assertTrue(most.get() <= 3, most::toString);
        assertClosed(executor);
        assertEquals(new ExecutorLedger(100, 100, 0, 0, 0, 0), executor.ledger());
    }

    @Test
    void overAnyExecutor() throws Exception {
        for (Consumer<Runnable> delegate : List.<Consumer<Runnable>>of(
                Runnable::run, ForkJoinPool.commonPool()::execute, run -> new Thread(run).start())) {
            LimitedExecutor executor =
                    LimitedExecutor.of(delegate::accept, AdmissionQueue.before(limiter, QueueSpec.of(1_000)));
            List<Future<Integer>> all = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                int n = i;
                all.add(executor.submit(() -> n));
            }
            for (int i = 0; i < 500; i++) {
                assertEquals(i, all.get(i).get());
            }
            executor.shutdown();
            assertTrue(executor.awaitTermination(10, TimeUnit.SECONDS));
            assertEquals(500, executor.ledger().succeeded());
        }
    }

    @Test
    void aFutureThatIsDoneHasReturnedItsPermit() throws Exception {
        LimitedExecutor executor = builder(0).build();
        for (int i = 0; i < 1_000; i++) {
            assertEquals("next", executor.submit(() -> "next").get());
        }
        assertClosed(executor);
    }

    /* The pool of seed 001: get() returns before the worker is back at the queue, so the next submission is refused
    with nobody at work; and what it refuses it can only throw. */
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
    void moreThanTheLimitGetNull() throws Exception {
        LimitedExecutor executor =
                builder(0).rejecting(RejectionPolicy.fallback(null)).build();
        Future<String> held = hold(executor);
        assertNull(executor.submit(() -> "second").get());
        gate.countDown();
        assertEquals("held", held.get());
        assertEquals("third", executor.submit(() -> "third").get());
        assertClosed(executor);
        assertEquals(1, executor.ledger().rejected());
    }

    @Test
    void moreThanTheLimitGetWhatTheActionGives() throws Exception {
        LimitedExecutor executor = builder(0)
                .rejecting(RejectionPolicy.fallbackTo(refused -> "limit " + refused.limit()))
                .build();
        hold(executor);
        assertEquals("limit 1", executor.submit(() -> "second").get());
        assertClosed(executor);
    }

    @Test
    void moreThanTheLimitThrow() throws Exception {
        LimitedExecutor executor = builder(0).build();
        hold(executor);
        assertEquals(
                Reason.QUEUE_FULL,
                refusedBy(assertThrows(RejectedExecutionException.class, () -> executor.submit(() -> 1))));
        assertEquals(
                Reason.QUEUE_FULL,
                refusedBy(assertThrows(RejectedExecutionException.class, () -> executor.execute(() -> {}))));
        assertClosed(executor);
    }

    @Test
    void X1_aRefusalInLineReachesTheFuture() throws Exception {
        LimitedExecutor executor = builder(10).maxWait(SHORT).build();
        hold(executor);
        Future<String> late = executor.submit(() -> "late");
        assertEquals(
                Reason.TIMED_OUT,
                refusedBy(assertThrows(ExecutionException.class, late::get).getCause()));
        assertClosed(executor);
    }

    @Test
    void X1_aRefusalInLineOfABareTaskReachesThePolicy() throws Exception {
        BlockingQueue<RejectedTask> refused = new LinkedBlockingQueue<>();
        LimitedExecutor executor =
                builder(10).maxWait(SHORT).rejecting(refused::add).build();
        hold(executor);
        Runnable bare = () -> {};
        executor.execute(bare);
        RejectedTask task = refused.take();
        assertTrue(task.isLate());
        assertSame(bare, task.task());
        assertClosed(executor);
    }

    @Test
    void X1_shutdownNowEndsEveryFuture() throws Exception {
        LimitedExecutor executor = builder(10).owningDelegate().build();
        Future<String> running = hold(executor);
        Future<String> waiting = executor.submit(() -> "waiting");
        Runnable bare = () -> {};
        executor.execute(bare);
        List<Runnable> never = executor.shutdownNow();
        assertEquals(2, never.size());
        assertTrue(never.contains(bare) && never.contains(waiting));
        assertTrue(running.isDone() && waiting.isCancelled());
        assertThrows(RejectedExecutionException.class, () -> executor.submit(() -> 1));
        assertTrue(executor.awaitTermination(1, TimeUnit.SECONDS));
        assertTrue(executor.isTerminated() && pool.isTerminated());
        assertEquals(new ExecutorLedger(4, 0, 0, 3, 1, 0), executor.ledger());
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void X1_shutdownLetsThoseWhoWaitRun() throws Exception {
        LimitedExecutor executor = builder(10).owningDelegate().build();
        hold(executor);
        Future<String> waiting = executor.submit(() -> "waited");
        executor.shutdown();
        assertFalse(pool.isShutdown());
        gate.countDown();
        assertEquals("waited", waiting.get());
        assertClosed(executor);
        assertTrue(pool.isShutdown());
    }

    @Test
    void X2_aPermitIsHeldUntilTheTaskReallyEnds() throws Exception {
        LimitedExecutor executor = builder(10).build();
        CountDownLatch running = new CountDownLatch(1);
        Future<?> stubborn = executor.submit(() -> {
            running.countDown();
            for (boolean done = false; !done; ) {
                try {
                    gate.await();
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
        assertEquals(1, limiter.snapshot().inFlight());
        assertFalse(next.isDone());
        gate.countDown();
        assertEquals("next", next.get());
        assertClosed(executor);
        assertEquals(1, executor.ledger().cancelled());
    }

    @Test
    void X2_cancelledBeforeItRunsItLeavesAtOnce() throws Exception {
        AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(10));
        List<Runnable> unrun = new ArrayList<>();
        LimitedExecutor executor = LimitedExecutor.of(unrun::add, queue);
        Future<String> granted = executor.submit(() -> "granted");
        Future<String> waiting = executor.submit(() -> "waiting");
        assertEquals(1, queue.snapshot().length());
        assertTrue(waiting.cancel(false));
        assertEquals(0, queue.snapshot().length());
        assertTrue(granted.cancel(false));
        Oracle.assertCapacity(1, limiter);
        unrun.forEach(Runnable::run);
        assertThrows(CancellationException.class, granted::get);
        assertClosed(executor);
    }

    @Test
    void X2_theNextInLineRunsWhenOneIsCancelled() throws Exception {
        List<Runnable> given = new ArrayList<>();
        LimitedExecutor executor = LimitedExecutor.of(given::add, AdmissionQueue.before(limiter, QueueSpec.of(10)));
        Future<String> first = executor.submit(() -> "first");
        Future<String> next = executor.submit(() -> "next");
        assertTrue(first.cancel(false));
        assertEquals(2, given.size());
        given.forEach(Runnable::run);
        assertEquals("next", next.get());
        assertClosed(executor);
    }

    @Test
    void X2_anErrorReturnsThePermit() throws Exception {
        LimitedExecutor executor = builder(10).build();
        Error error = new StackOverflowError("made up");
        Future<?> failing = executor.submit((Runnable) () -> {
            throw error;
        });
        assertSame(error, assertThrows(ExecutionException.class, failing::get).getCause());
        assertEquals("next", executor.submit(() -> "next").get());
        assertClosed(executor);
        assertEquals(1, executor.ledger().failed());
    }

    @Test
    void aBareTaskThrowsOnItsWorker() throws Exception {
        Error error = new AssertionError("made up");
        LimitedExecutor executor = LimitedExecutor.of(Runnable::run, AdmissionQueue.before(limiter, QueueSpec.of(1)));
        assertSame(
                error,
                assertThrows(
                        AssertionError.class,
                        () -> executor.execute(() -> {
                            throw error;
                        })));
        assertClosed(executor);
        assertEquals(1, executor.ledger().failed());
    }

    @Test
    void X3_theCauseIsTheSameObject() throws Exception {
        LimitedExecutor executor = builder(10).build();
        Exception thrown = new ExecutionException(new IllegalStateException());
        Future<?> failing = executor.submit((Callable<?>) () -> {
            throw thrown;
        });
        assertSame(thrown, assertThrows(ExecutionException.class, failing::get).getCause());
        assertClosed(executor);
    }

    @Test
    void X3_invokeAllAndAnyReturnThePermitsOfLosers() throws Exception {
        LimitedExecutor executor = builder(100).build();
        List<Callable<Integer>> tasks =
                IntStream.range(0, 20).<Callable<Integer>>mapToObj(i -> () -> i).toList();
        List<Future<Integer>> all = executor.invokeAll(tasks);
        for (int i = 0; i < 20; i++) {
            assertEquals(i, all.get(i).get());
        }
        limiter.dial().setLimit(2);
        Callable<String> hangs = () -> {
            gate.await();
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
        await().until(() -> limiter.snapshot().inFlight() == 0);
        Oracle.assertCapacity(2, limiter);
        ExecutorCompletionService<Integer> completions = new ExecutorCompletionService<>(executor);
        tasks.forEach(completions::submit);
        int sum = 0;
        for (int i = 0; i < 20; i++) {
            sum += completions.take().get();
        }
        assertEquals(190, sum);
        assertClosed(executor);
    }

    @Test
    void X3_invokeAnyEndsWhenAllAreRefusedInLine() throws Exception {
        LimitedExecutor executor = builder(10).maxWait(SHORT).build();
        hold(executor);
        ExecutionException thrown =
                assertThrows(ExecutionException.class, () -> executor.invokeAny(List.of(() -> 1, () -> 2)));
        assertEquals(Reason.TIMED_OUT, refusedBy(thrown.getCause()));
        assertClosed(executor);
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
            LimitedExecutor executor = LimitedExecutor.builder(one, AdmissionQueue.before(limiter, QueueSpec.of(10)))
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
            assertClosed(executor);
        } finally {
            one.shutdown();
        }
    }

    @Test
    void X4_anInterruptEndsWithItsTask() throws Exception {
        ThreadPoolExecutor one = new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
        try {
            LimitedExecutor executor = LimitedExecutor.of(one, AdmissionQueue.before(limiter, QueueSpec.of(1_000)));
            List<Future<Boolean>> later = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                executor.execute(() -> Thread.currentThread().interrupt());
                later.add(executor.submit(() -> Thread.currentThread().isInterrupted()));
            }
            for (Future<Boolean> interrupted : later) {
                assertFalse(interrupted.get());
            }
            assertClosed(executor);
        } finally {
            one.shutdown();
        }
    }

    @Test
    void X5_aDelegateThatRefusesReturnsThePermit() throws Exception {
        LimitedExecutor executor = LimitedExecutor.of(
                task -> {
                    throw new RejectedExecutionException("made up");
                },
                AdmissionQueue.before(limiter, QueueSpec.of(1)));
        RejectedExecutionException thrown =
                assertThrows(RejectedExecutionException.class, () -> executor.submit(() -> 1));
        assertEquals(Reason.QUEUE_FULL, refusedBy(thrown));
        assertEquals("made up", thrown.getSuppressed()[0].getMessage());
        assertClosed(executor);
        assertEquals(1, executor.ledger().rejected());
    }

    @Test
    void X5_theCallerRunsUnderTheLimit() throws Exception {
        LimitedExecutor executor =
                builder(0).rejecting(RejectionPolicy.callerRuns()).build();
        hold(executor);
        BlockingQueue<Thread> ran = new LinkedBlockingQueue<>();
        Thread submitter = new Thread(() -> executor.execute(() -> {
            assertEquals(1, limiter.snapshot().inFlight());
            ran.add(Thread.currentThread());
        }));
        submitter.start();
        await().until(() -> submitter.getState() == Thread.State.TIMED_WAITING);
        assertTrue(ran.isEmpty());
        gate.countDown();
        assertSame(submitter, ran.take());
        submitter.join();
        assertClosed(executor);
        assertEquals(new ExecutorLedger(2, 2, 0, 0, 0, 0), executor.ledger());
    }

    @Test
    void X5_theCallerRunsUnderThePermitTheDelegateDidNotUse() throws Exception {
        LimitedExecutor executor = LimitedExecutor.builder(
                        task -> {
                            throw new RejectedExecutionException("made up");
                        },
                        AdmissionQueue.before(limiter, QueueSpec.of(0)))
                .rejecting(RejectionPolicy.callerRuns())
                .build();
        assertSame(
                Thread.currentThread(), executor.submit(Thread::currentThread).get());
        assertClosed(executor);
    }

    @Test
    void X5_discardCancelsTheFuture() throws Exception {
        LimitedExecutor executor =
                builder(0).rejecting(RejectionPolicy.discard()).build();
        hold(executor);
        assertTrue(executor.submit(() -> 1).isCancelled());
        assertClosed(executor);
        assertEquals(1, executor.ledger().rejected());
    }

    @Test
    void X5_discardOldestMakesRoom() throws Exception {
        LimitedExecutor executor =
                builder(2).rejecting(RejectionPolicy.discardOldest()).build();
        hold(executor);
        List<Future<Integer>> futures = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int n = i;
            futures.add(executor.submit(() -> n));
        }
        assertArrayEquals(
                new Boolean[] {true, true, false, false},
                futures.stream().map(Future::isCancelled).toArray());
        gate.countDown();
        assertEquals(2, futures.get(2).get());
        assertEquals(3, futures.get(3).get());
        assertClosed(executor);
        assertEquals(2, executor.ledger().rejected());
    }

    @Test
    void X5_discardOldestDiscardsWhatTheDelegateRefused() throws Exception {
        LimitedExecutor executor = LimitedExecutor.builder(
                        task -> {
                            throw new RejectedExecutionException("made up");
                        },
                        AdmissionQueue.before(limiter, QueueSpec.of(1)))
                .rejecting(RejectionPolicy.discardOldest())
                .build();
        assertTrue(executor.submit(() -> 1).isCancelled());
        assertClosed(executor);
    }

    @Test
    void aPolicyThatThrowsOrDoesNothingLosesNothing() throws Exception {
        IllegalStateException made = new IllegalStateException("made up");
        LimitedExecutor throwing = builder(0)
                .rejecting(task -> {
                    throw made;
                })
                .build();
        LimitedExecutor idle = builder(0).rejecting(task -> {}).build();
        hold(throwing);
        assertSame(made, assertThrows(IllegalStateException.class, () -> throwing.submit(() -> 1)));
        assertThrows(RejectedExecutionException.class, () -> idle.submit(() -> 1));
        assertClosed(throwing);
        assertClosed(idle);
    }

    @Test
    void X6_aTaskThatSubmitsToItsOwnFullExecutorIsRefused() throws Exception {
        for (RejectionPolicy policy : List.of(RejectionPolicy.abort(), RejectionPolicy.callerRuns())) {
            LimitedExecutor executor =
                    builder(10).maxWait(SHORT).rejecting(policy).build();
            Future<String> outer =
                    executor.submit(() -> executor.submit(() -> "inner").get());
            ExecutionException thrown = assertThrows(ExecutionException.class, outer::get);
            ExecutionException inner = assertInstanceOf(ExecutionException.class, thrown.getCause());
            assertEquals(Reason.TIMED_OUT, refusedBy(inner.getCause()));
            executor.shutdown();
            assertTrue(executor.awaitTermination(10, TimeUnit.SECONDS));
        }
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void isResizedWhileItRuns() throws Exception {
        AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(2));
        LimitedExecutor executor = LimitedExecutor.of(pool, queue);
        hold(executor);
        Future<String> second = executor.submit(() -> "second");
        Future<String> third = executor.submit(() -> "third");
        assertThrows(RejectedExecutionException.class, () -> executor.submit(() -> 1));
        queue.reconfigure(QueueSpec.of(1));
        assertEquals(
                Reason.QUEUE_FULL,
                refusedBy(assertThrows(ExecutionException.class, third::get).getCause()));
        limiter.dial().setLimit(2);
        assertEquals("second", second.get());
        queue.close();
        assertThrows(RejectedExecutionException.class, () -> executor.submit(() -> 1));
        gate.countDown();
        executor.shutdown();
        assertTrue(executor.awaitTermination(10, TimeUnit.SECONDS));
        Oracle.assertCapacity(2, limiter);
    }
}
