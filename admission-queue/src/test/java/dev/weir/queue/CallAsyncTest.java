package dev.weir.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.LimitExceededException;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.LimiterObserver;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Work that is started under a permit and holds it until it has completed, asynchronous and blocking. */
@Tag("property")
class CallAsyncTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final List<Outcome> outcomes = new ArrayList<>();
    private final ManagedLimiter limiter =
            Limiters.builder("limiter", new Semaphore(1)).ticker(time).build();
    private final AdmissionQueue queue = AdmissionQueue.builder("limiter", limiter, QueueSpec.of(10))
            .executor(Runnable::run)
            .build();
    private final CompletableFuture<String> stage = new CompletableFuture<>();

    CallAsyncTest() {
        limiter.observe(new LimiterObserver() {
            @Override
            public void onReleased(Request request, Outcome outcome, long heldNanos) {
                outcomes.add(outcome);
            }
        });
    }

    private CompletableFuture<String> call(Supplier<CompletionStage<String>> work) {
        return queue.callAsync(Request.ONE, SECOND, work);
    }

    private static Reason reason(CompletableFuture<?> refused) {
        Throwable cause = assertThrows(CompletionException.class, refused::join).getCause();
        return assertInstanceOf(LimitExceededException.class, cause).rejection().reason();
    }

    @Test
    void thePermitIsHeldUntilTheStageHasCompleted() {
        CompletableFuture<String> result = call(() -> stage);
        assertEquals(1, limiter.inFlight());
        assertFalse(result.isDone());
        AtomicReference<Long> inFlight = new AtomicReference<>();
        result.thenRun(() -> inFlight.set(limiter.inFlight()));
        stage.complete("done");
        assertEquals("done", result.join());
        assertEquals(0, inFlight.get(), "released before the future is done");
        assertEquals(List.of(Outcome.SUCCESS), outcomes);
    }

    @Test
    void howTheStageFailsIsTheOutcome() {
        for (Throwable thrown : List.of(new TimeoutException(), new IllegalStateException())) {
            CompletableFuture<String> fails = new CompletableFuture<>();
            CompletableFuture<String> result = call(() -> fails.thenApply(value -> value));
            fails.completeExceptionally(thrown);
            assertEquals(
                    thrown,
                    assertThrows(CompletionException.class, result::join).getCause());
        }
        assertEquals(List.of(Outcome.DROPPED, Outcome.IGNORED), outcomes);
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void theClassifierOfTheLimiterIsCalled() throws Exception {
        ManagedLimiter classifying = Limiters.builder("limiter", new Semaphore(1))
                .classifier(thrown -> Outcome.SUCCESS)
                .build();
        classifying.observe(new LimiterObserver() {
            @Override
            public void onReleased(Request request, Outcome outcome, long heldNanos) {
                outcomes.add(outcome);
            }
        });
        AdmissionQueue before = AdmissionQueue.before(classifying, QueueSpec.of(1));
        before.callAsync(Request.ONE, () -> CompletableFuture.failedFuture(new TimeoutException()));
        classifying.callAsync(Request.ONE, () -> CompletableFuture.failedFuture(new TimeoutException()));
        assertThrows(
                TimeoutException.class,
                () -> before.call(Request.ONE, () -> {
                    throw new TimeoutException();
                }));
        assertEquals(List.of(Outcome.SUCCESS, Outcome.SUCCESS, Outcome.SUCCESS), outcomes);
    }

    @Test
    void workThatThrowsOrGivesNoStageFailsTheFuture() {
        CompletableFuture<String> thrown = call(() -> {
            throw new IllegalStateException("made up");
        });
        assertInstanceOf(
                IllegalStateException.class,
                assertThrows(CompletionException.class, thrown::join).getCause());
        CompletableFuture<String> none = call(() -> null);
        assertInstanceOf(
                NullPointerException.class,
                assertThrows(CompletionException.class, none::join).getCause());
        assertThrows(NullPointerException.class, () -> queue.callAsync(Request.ONE, SECOND, null));
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void S6_cancelledWhileItWaitsItLeavesTheQueueAndIsNeverStarted() {
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        AtomicInteger started = new AtomicInteger();
        CompletableFuture<String> cancelled = call(() -> {
            started.incrementAndGet();
            return stage;
        });
        CompletableFuture<String> completed = call(() -> {
            started.incrementAndGet();
            return stage;
        });
        cancelled.cancel(true);
        completed.complete("already known");
        assertEquals(0, queue.snapshot().length());
        assertEquals(2, queue.snapshot().cancelled());
        held.close();
        assertEquals(0, started.get());
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void cancelledWhileItRunsItHoldsThePermitUntilTheStageHasCompleted() {
        CompletableFuture<String> unresponsive = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                return false;
            }
        };
        CompletableFuture<String> slow = call(() -> unresponsive);
        slow.cancel(true);
        assertEquals(1, limiter.inFlight(), "its work goes on");
        unresponsive.complete("late");
        assertEquals(0, limiter.inFlight());
        CompletableFuture<String> quick = call(() -> stage);
        quick.cancel(true);
        assertTrue(stage.isCancelled());
        assertEquals(List.of(Outcome.SUCCESS, Outcome.IGNORED), outcomes);
        CompletableFuture<String> source = new CompletableFuture<>();
        call(source::minimalCompletionStage).cancel(true);
        assertEquals(1, limiter.inFlight(), "cannot be cancelled");
        source.complete("late");
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void aRejectionIsAnException() {
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        CompletableFuture<String> late = call(() -> stage);
        assertEquals(Reason.CONCURRENCY, reason(queue.callAsync(Request.ONE, Duration.ZERO, () -> stage)));
        assertEquals(Reason.CONCURRENCY, reason(limiter.callAsync(Request.ONE, () -> stage)));
        time.advance(SECOND);
        assertEquals(Reason.TIMED_OUT, reason(late));
        held.close();
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void S2_overAnyHistoryNoPermitIsLost() {
        Seed.forAll(300, random -> {
            ManagedLimiter two =
                    Limiters.builder("limiter", new Semaphore(2)).ticker(time).build();
            AdmissionQueue before = AdmissionQueue.builder("limiter", two, QueueSpec.of(5))
                    .executor(Runnable::run)
                    .build();
            List<CompletableFuture<String>> results = new ArrayList<>();
            List<CompletableFuture<String>> stages = new ArrayList<>();
            for (int step = 0; step < 100; step++) {
                switch (random.nextInt(6)) {
                    case 0, 1 ->
                        results.add(before.callAsync(Request.ONE, SECOND, () -> {
                            CompletableFuture<String> begun = new CompletableFuture<>();
                            stages.add(begun);
                            if (random.nextInt(8) == 0) {
                                begun.complete("at once");
                            }
                            return random.nextBoolean() ? begun : begun.minimalCompletionStage();
                        }));
                    case 2 -> one(random.nextInt(), results).cancel(true);
                    case 3 -> one(random.nextInt(), stages).complete("done");
                    case 4 -> one(random.nextInt(), stages).completeExceptionally(new TimeoutException());
                    default -> time.advance(random.nextLong(500_000_000));
                }
                assertTrue(two.inFlight() <= 2);
            }
            for (int i = 0; i < stages.size(); i++) {
                stages.get(i).complete("at last");
            }
            time.advance(SECOND);
            Oracle.assertCapacity(2, two);
            assertTrue(results.stream().allMatch(CompletableFuture::isDone));
        });
    }

    private static CompletableFuture<String> one(int number, List<CompletableFuture<String>> of) {
        return of.isEmpty() ? new CompletableFuture<>() : of.get(Math.floorMod(number, of.size()));
    }

    @Test
    void callAndRunWaitForAPermit() throws Exception {
        assertEquals("done", queue.call(Request.ONE, SECOND, () -> "done"));
        queue.run(Request.ONE, SECOND, () -> assertEquals(1, limiter.inFlight()));
        assertThrows(
                IllegalStateException.class,
                () -> queue.run(Request.ONE, () -> {
                    throw new IllegalStateException("made up");
                }));
        assertEquals(List.of(Outcome.SUCCESS, Outcome.SUCCESS, Outcome.IGNORED), outcomes);
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        LimitExceededException refused =
                assertThrows(LimitExceededException.class, () -> queue.call(Request.ONE, Duration.ZERO, () -> "never"));
        assertEquals(Reason.CONCURRENCY, refused.rejection().reason());
        held.close();
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void theQueueKnowsHowLongItsCallersWait() throws Exception {
        queue.reconfigure(QueueSpec.of(10).waiting(SECOND));
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        CompletableFuture<?> requested = queue.acquireAsync(Request.ONE);
        CompletableFuture<String> called = queue.callAsync(Request.ONE, () -> stage);
        time.advance(SECOND.minusNanos(1));
        assertFalse(requested.isDone() || called.isDone());
        time.advance(1);
        assertTrue(requested.isDone());
        assertEquals(Reason.TIMED_OUT, reason(called));
        queue.reconfigure(QueueSpec.of(10).waiting(Duration.ZERO));
        assertThrows(LimitExceededException.class, () -> queue.run(Request.ONE, () -> {}));
        assertInstanceOf(dev.weir.Rejection.class, queue.acquire(Request.ONE));
        held.close();
        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class, () -> QueueSpec.of(1).waiting(SECOND.negated()));
        assertEquals("maxWait must be >= 0, was PT-1S", refused.getMessage());
    }

    @Test
    void whatIsFreeIsKnownOfASemaphore() {
        assertEquals(1, limiter.remaining());
        Permit held = (Permit) limiter.tryAcquire();
        assertEquals(0, limiter.remaining());
        held.close();
        assertEquals(time, limiter.ticker());
        long unknownOrOne = Limiters.of("rate", TokenBucket.of(1, SECOND)).remaining();
        assertTrue(unknownOrOne == -1 || unknownOrOne == 1, () -> "was " + unknownOrOne);
    }
}
