package dev.weir.queue;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.LimiterObserver;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each way in which the owner of a waiting request's future can complete it. */
class CompletedByOwnerTest {
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final Decision MINE = new Rejection("mine", Reason.SHED, 0, 0);

    private final VirtualTime time = new VirtualTime();
    private final ManagedLimiter limiter =
            Limiters.builder("limiter", new Semaphore(1)).ticker(time).build();
    private final Queue<Runnable> deliveries = new ArrayDeque<>();
    private final AdmissionQueue queue = AdmissionQueue.builder("limiter", limiter, QueueSpec.of(2))
            .ticker(time)
            .alarm(time::alarm)
            .executor(deliveries::add)
            .build();

    @SuppressWarnings("FutureReturnValueIgnored") // Each of them returns this future.
    enum Way {
        COMPLETE(future -> future.complete(MINE)),
        FAIL(future -> future.completeExceptionally(new IllegalStateException("mine"))),
        CANCEL(future -> future.cancel(false)),
        COMPLETE_ASYNC(future -> future.completeAsync(() -> MINE)),
        COMPLETE_BY_EXECUTOR(future -> future.completeAsync(() -> MINE, Runnable::run)),
        FAIL_ASYNC(future -> future.completeAsync(
                () -> {
                    throw new IllegalStateException("mine");
                },
                Runnable::run)),
        TIME_OUT(future -> future.orTimeout(1, TimeUnit.NANOSECONDS)),
        COMPLETE_ON_TIMEOUT(future -> future.completeOnTimeout(MINE, 1, TimeUnit.NANOSECONDS)),
        OBTRUDE(future -> future.obtrudeValue(MINE)),
        OBTRUDE_FAILURE(future -> future.obtrudeException(new IllegalStateException("mine")));

        private final Consumer<CompletableFuture<Decision>> completion;

        Way(Consumer<CompletableFuture<Decision>> completion) {
            this.completion = completion;
        }

        void complete(CompletableFuture<Decision> future) {
            completion.accept(future);
            awaitDone(future);
        }
    }

    private static void awaitDone(CompletableFuture<?> future) {
        await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(future::isDone);
    }

    @ParameterizedTest
    @EnumSource
    void S6_aCompletedFutureIsOutOfTheQueueAtOnce(Way way) {
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        List<Integer> seen = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            CompletableFuture<Decision> future = queue.acquireAsync(Request.ONE, EVER);
            CompletableFuture<Void> stage =
                    future.handle((decision, failure) -> queue.length()).thenAccept(seen::add);
            way.complete(future);
            awaitDone(stage);
        }
        assertEquals(List.of(0, 0), seen, "length of the queue, to stages of the future");
        assertEquals(2, queue.snapshot().cancelled());
        CompletableFuture<Decision> next = queue.acquireAsync(Request.ONE, EVER);
        assertFalse(next.isDone(), "waits");
        held.close();
        deliveries.remove().run();
        assertInstanceOf(Permit.class, next.join());
        assertEquals(0, deliveries.size());
    }

    @ParameterizedTest
    @EnumSource
    void S6_stagesRunUnderNoLock(Way way) throws Exception {
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        CompletableFuture<Decision> future = queue.acquireAsync(Request.ONE, EVER);
        CompletableFuture<QueueSnapshot> elsewhere = future.handle((decision, failure) -> onAnotherThread());
        way.complete(future);
        assertEquals(0, elsewhere.get(1, TimeUnit.MINUTES).length());
        held.close();
    }

    private QueueSnapshot onAnotherThread() {
        return CompletableFuture.supplyAsync(queue::snapshot, work -> new Thread(work).start())
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
    }

    /** The queue has granted, and the future does not know yet. */
    @ParameterizedTest
    @EnumSource
    void S6_aPermitGrantedAtTheSameMomentIsReleased(Way way) {
        List<Outcome> released = new ArrayList<>();
        limiter.observe(new LimiterObserver() {
            @Override
            public void onReleased(Request request, Outcome outcome, long heldNanos) {
                released.add(outcome);
            }
        });
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        CompletableFuture<Decision> future = queue.acquireAsync(Request.ONE, EVER);
        held.release(Outcome.SUCCESS);
        assertEquals(1, limiter.inFlight());
        way.complete(future);
        deliveries.remove().run();
        assertEquals(List.of(Outcome.SUCCESS, Outcome.CANCELLED), released);
        assertEquals(0, limiter.inFlight());
        assertEquals(0, queue.snapshot().cancelled());
    }

    @Test
    void aCallThatThrowsCancelsNothing() {
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        CompletableFuture<Decision> future = queue.acquireAsync(Request.ONE, EVER);
        Throwable none = new AtomicReference<Throwable>().get();
        assertThrows(NullPointerException.class, () -> future.completeExceptionally(none));
        assertThrows(NullPointerException.class, () -> future.obtrudeException(none));
        assertThrows(NullPointerException.class, () -> future.completeAsync(null));
        assertThrows(NullPointerException.class, () -> future.completeAsync(() -> MINE, null));
        assertEquals(1, queue.length());
        held.close();
        deliveries.remove().run();
        assertInstanceOf(Permit.class, future.join());
    }

    @ParameterizedTest
    @EnumSource
    void aDependentOrACopyDoesNotCancel(Way way) {
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        CompletableFuture<Decision> future = queue.acquireAsync(Request.ONE, EVER);
        way.complete(future.copy());
        way.complete(future.thenApply(decision -> decision));
        way.complete(future.whenComplete((decision, failure) -> {}));
        way.complete(future.newIncompleteFuture());
        way.complete(future.minimalCompletionStage().toCompletableFuture());
        assertEquals(1, queue.length());
        held.close();
        deliveries.remove().run();
        assertTrue(future.isDone());
        assertInstanceOf(Permit.class, future.join());
    }
}
