package dev.weir.queue;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The queue by itself: who waits, who is granted, and how each wait ends. Futures, in virtual time. */
class AdmissionQueueTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - 5);

    private ManagedLimiter limiter(StrategySpec spec) {
        return Limiters.builder("limiter", spec).ticker(time).build();
    }

    private AdmissionQueue queue(ManagedLimiter limiter, QueueSpec spec) {
        return AdmissionQueue.builder("limiter", limiter, spec)
                .ticker(time)
                .alarm(time::alarm)
                .executor(Runnable::run)
                .build();
    }

    private static Permit permit(CompletableFuture<Decision> future) {
        assertTrue(future.isDone(), "granted");
        return assertInstanceOf(Permit.class, future.join());
    }

    private static Reason reason(CompletableFuture<Decision> future) {
        assertTrue(future.isDone(), "refused");
        return assertInstanceOf(Rejection.class, future.join()).reason();
    }

    private static int free(ManagedLimiter limiter) {
        List<Permit> permits = new ArrayList<>();
        while (limiter.tryAcquire() instanceof Permit permit) {
            permits.add(permit);
        }
        permits.forEach(Permit::close);
        return permits.size();
    }

    @Test
    @SuppressWarnings("NullAway")
    void aWaitThatIsNullIsRefusedByItsName() {
        AdmissionQueue queue = queue(limiter(new Semaphore(1)), QueueSpec.of(10));
        for (Executable call : List.<Executable>of(
                () -> queue.acquire(Request.ONE, null), () -> queue.acquireAsync(Request.ONE, null))) {
            assertEquals(
                    "maxWait", assertThrows(NullPointerException.class, call).getMessage());
        }
    }

    @Test
    void S7_permitsGoToWaitersInOrderOfArrival() {
        ManagedLimiter limiter = limiter(new Semaphore(1));
        AdmissionQueue queue = queue(limiter, QueueSpec.of(10));
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        List<CompletableFuture<Decision>> waiting = IntStream.range(0, 3)
                .mapToObj(i -> queue.acquireAsync(Request.ONE, EVER))
                .toList();
        assertInstanceOf(Rejection.class, queue.tryAcquire(Request.ONE), "no request overtakes");
        held.close();
        for (CompletableFuture<Decision> next : waiting) {
            permit(next).close();
        }
        assertEquals(0, queue.snapshot().length());
        assertEquals(1, free(limiter));
    }

    @Test
    void S3_aRaisedLimitLetsInAsManyAsFit() {
        ManagedLimiter limiter = limiter(new Semaphore(1));
        AdmissionQueue queue = queue(limiter, QueueSpec.of(10));
        assertInstanceOf(Permit.class, queue.tryAcquire(Request.ONE));
        List<CompletableFuture<Decision>> waiting = IntStream.range(0, 6)
                .mapToObj(i -> queue.acquireAsync(Request.ONE, EVER))
                .toList();
        limiter.dial().setLimit(4);
        assertEquals(3, waiting.stream().filter(CompletableFuture::isDone).count());
        limiter.reconfigure(new Semaphore(6));
        assertEquals(5, waiting.stream().filter(CompletableFuture::isDone).count());
        assertFalse(waiting.get(5).isDone());
    }

    @Test
    void S4_waitsNeitherLessNorMoreThanItsTimeout() {
        ManagedLimiter limiter = limiter(new Semaphore(1));
        AdmissionQueue queue = queue(limiter, QueueSpec.of(10));
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        CompletableFuture<Decision> late = queue.acquireAsync(Request.ONE, SECOND);
        CompletableFuture<Decision> early = queue.acquireAsync(Request.ONE, Duration.ofMillis(10));
        CompletableFuture<Decision> byDeadline = queue.acquireAsync(new Request(1, 0, null, 5_000_000), EVER);
        time.advance(4_999_999);
        assertFalse(byDeadline.isDone());
        time.advance(1);
        assertEquals(Reason.TIMED_OUT, reason(byDeadline));
        time.advance(Duration.ofMillis(5));
        assertEquals(Reason.TIMED_OUT, reason(early));
        assertFalse(late.isDone());
        time.advance(SECOND);
        assertEquals(Reason.TIMED_OUT, reason(late));
        assertEquals(Reason.CONCURRENCY, reason(queue.acquireAsync(Request.ONE, Duration.ZERO)));
        held.close();
        assertEquals(1, free(limiter));
        assertEquals(3, queue.snapshot().timedOut());
    }

    @Test
    void S6_aCancelledFutureIsOutOfTheQueueAtOnce() {
        ManagedLimiter limiter = limiter(new Semaphore(2));
        AdmissionQueue queue = queue(limiter, QueueSpec.of(10));
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        CompletableFuture<Decision> wide = queue.acquireAsync(Request.of(2), EVER);
        CompletableFuture<Decision> narrow = queue.acquireAsync(Request.ONE, EVER);
        assertFalse(narrow.isDone(), "the wide one is first");
        assertTrue(wide.cancel(true));
        assertThrows(CancellationException.class, wide::join);
        Permit second = permit(narrow);
        assertEquals(0, queue.snapshot().length());
        assertEquals(1, queue.snapshot().cancelled());
        held.close();
        second.close();
        assertEquals(2, free(limiter));
    }

    @Test
    void S6_aFutureCompletedByItsOwnerHoldsNothing() {
        ManagedLimiter limiter = limiter(new Semaphore(1));
        AdmissionQueue queue = queue(limiter, QueueSpec.of(10));
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        Decision bogus = new Rejection("mine", Reason.SHED, 0, 0);
        CompletableFuture<Decision> completed = queue.acquireAsync(Request.ONE, EVER);
        CompletableFuture<Decision> failed = queue.acquireAsync(Request.ONE, EVER);
        CompletableFuture<Decision> obtruded = queue.acquireAsync(Request.ONE, EVER);
        completed.complete(bogus);
        failed.completeExceptionally(new IllegalStateException());
        obtruded.obtrudeValue(bogus);
        held.close();
        assertEquals(0, queue.snapshot().length());
        assertEquals(1, free(limiter));
    }

    @Test
    void R7_aRateIsWaitedForAndARaiseIsFeltAtOnce() {
        ManagedLimiter limiter = limiter(Pacer.of(1, SECOND));
        AdmissionQueue queue = queue(limiter, QueueSpec.of(10));
        assertInstanceOf(Permit.class, queue.tryAcquire(Request.ONE));
        List<CompletableFuture<Decision>> waiting = IntStream.range(0, 4)
                .mapToObj(i -> queue.acquireAsync(Request.ONE, EVER))
                .toList();
        time.advance(SECOND.toNanos() - 1);
        assertFalse(waiting.get(0).isDone());
        time.advance(1);
        permit(waiting.get(0));
        time.advance(SECOND);
        permit(waiting.get(1));
        limiter.reconfigure(Pacer.of(1000, SECOND));
        time.advance(Duration.ofMillis(2));
        permit(waiting.get(2));
        permit(waiting.get(3));
    }

    @Test
    void doomedWaitersDoNotWaitInAPredictiveQueue() {
        ManagedLimiter limiter = limiter(TokenBucket.of(1, SECOND));
        AdmissionQueue queue = queue(limiter, QueueSpec.of(1_000).refusingDoomed());
        assertInstanceOf(Permit.class, queue.tryAcquire(Request.ONE));
        Rejection refused = (Rejection)
                queue.acquireAsync(Request.ONE, Duration.ofMillis(500)).join();
        assertEquals(Reason.TIMED_OUT, refused.reason());
        assertEquals(SECOND.toNanos(), refused.retryAfterNanos());
        for (int i = 0; i < 138; i++) {
            queue.acquireAsync(Request.ONE, EVER);
        }
        for (int window = 0; window < 8; window++) {
            assertEquals(0, queue.snapshot().predictedWaitNanos(), "no evidence");
            time.advance(Duration.ofSeconds(16));
        }
        assertEquals(Duration.ofSeconds(10).toNanos(), queue.snapshot().predictedWaitNanos());
        assertTrue(queue.acquireAsync(Request.ONE, Duration.ofSeconds(9)).isDone());
        assertFalse(queue.acquireAsync(Request.ONE, Duration.ofSeconds(11)).isDone());
    }

    @Test
    void aFullQueueRefuses() {
        AdmissionQueue queue = queue(limiter(new Semaphore(1)), QueueSpec.of(2).holding(3));
        assertInstanceOf(Permit.class, queue.tryAcquire(Request.ONE));
        assertFalse(queue.acquireAsync(Request.ONE, EVER).isDone());
        assertEquals(Reason.QUEUE_FULL, reason(queue.acquireAsync(Request.of(3), EVER)));
        assertFalse(queue.acquireAsync(Request.ONE, EVER).isDone());
        assertEquals(Reason.QUEUE_FULL, reason(queue.acquireAsync(Request.ONE, EVER)));
        assertEquals(2, queue.snapshot().full());
    }

    @Test
    void capacityIsForThoseWhoCome() {
        ManagedLimiter limiter = limiter(new Semaphore(1));
        AdmissionQueue queue = queue(limiter, QueueSpec.of(10));
        Permit held = assertInstanceOf(Permit.class, queue.tryAcquire(Request.ONE));
        List<CompletableFuture<Decision>> waiting = IntStream.range(0, 4)
                .mapToObj(i -> queue.acquireAsync(Request.ONE, i == 1 ? SECOND : EVER))
                .toList();
        for (QueueSpec next :
                List.of(QueueSpec.of(2), QueueSpec.of(0), QueueSpec.of(9).holding(1))) {
            queue.reconfigure(next);
            assertEquals(4, queue.length());
            assertEquals(Reason.QUEUE_FULL, reason(queue.acquireAsync(Request.ONE, EVER)));
        }
        time.advance(SECOND.minusNanos(1));
        assertFalse(waiting.get(1).isDone());
        time.advance(1);
        assertEquals(Reason.TIMED_OUT, reason(waiting.get(1)));
        held.close();
        for (int i : new int[] {0, 2, 3}) {
            assertInstanceOf(Permit.class, waiting.get(i).join()).close();
        }
        assertInstanceOf(Permit.class, queue.tryAcquire(Request.ONE));
    }

    @Test
    void S18_closeRefusesWaitersAndNewRequests() {
        ManagedLimiter limiter = limiter(new Semaphore(1));
        AdmissionQueue queue = queue(limiter, QueueSpec.of(10));
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        CompletableFuture<Decision> waiting = queue.acquireAsync(Request.ONE, EVER);
        queue.close();
        assertEquals(Reason.CANCELLED, reason(waiting));
        assertEquals(Reason.CANCELLED, reason(queue.acquireAsync(Request.ONE, EVER)));
        assertEquals(Reason.CANCELLED, ((Rejection) queue.tryAcquire(Request.ONE)).reason());
        held.close();
        assertEquals(1, free(limiter));
    }

    @Test
    void aClosedLimiterRefusesWaiters() {
        ManagedLimiter limiter = limiter(new Semaphore(1));
        AdmissionQueue queue = queue(limiter, QueueSpec.of(10));
        assertInstanceOf(Permit.class, queue.tryAcquire(Request.ONE));
        CompletableFuture<Decision> waiting = queue.acquireAsync(Request.ONE, EVER);
        limiter.close();
        assertEquals(Reason.CANCELLED, reason(waiting));
    }

    @Test
    void S14_moreThanTheLimitIsRefusedWhenItsTurnComes() {
        AdmissionQueue queue = queue(limiter(new Semaphore(2)), QueueSpec.of(10));
        assertEquals(Reason.NEVER, reason(queue.acquireAsync(Request.of(3), EVER)));
    }

    @Test
    void S8_newRequestsOvertakeInAnUnfairQueueForAHundredMilliseconds() {
        ManagedLimiter limiter = limiter(new Semaphore(1));
        AdmissionQueue queue = queue(limiter, QueueSpec.of(10).unfair(IntervalFunction.of(Duration.ofMillis(30))));
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        CompletableFuture<Decision> waiting = queue.acquireAsync(Request.ONE, EVER);
        time.advance(AdmissionQueue.HAND_OFF_AFTER.toNanos());
        assertInstanceOf(Rejection.class, queue.tryAcquire(Request.ONE), "promised");
        held.close();
        permit(waiting).close();
        assertInstanceOf(Permit.class, queue.tryAcquire(Request.ONE));
    }

    @Test
    void S5_aBlockedThreadIsGrantedTimedOutOrInterrupted() throws Exception {
        for (QueueSpec spec :
                List.of(QueueSpec.of(10), QueueSpec.of(10).unfair(IntervalFunction.of(Duration.ofMillis(5))))) {
            ManagedLimiter limiter = Limiters.of("real", new Semaphore(1));
            AdmissionQueue queue = AdmissionQueue.before(limiter, spec);
            Permit held = (Permit) queue.acquire(Request.ONE, EVER);
            AtomicReference<Object> ending = new AtomicReference<>();
            Thread interrupted = blocked(queue, EVER, ending);
            interrupted.interrupt();
            interrupted.join();
            assertInstanceOf(InterruptedException.class, ending.get());
            Thread timedOut = blocked(queue, Duration.ofMillis(20), ending);
            timedOut.join();
            assertEquals(Reason.TIMED_OUT, ((Rejection) ending.get()).reason());
            Thread granted = blocked(queue, EVER, ending);
            held.close();
            granted.join();
            ((Permit) ending.get()).close();
            assertEquals(0, queue.snapshot().length());
            assertEquals(1, free(limiter));
        }
    }

    private static Thread blocked(AdmissionQueue queue, Duration wait, AtomicReference<Object> ending) {
        int before = queue.snapshot().length();
        Thread thread = new Thread(() -> {
            try {
                ending.set(queue.acquire(Request.ONE, wait));
            } catch (InterruptedException e) {
                ending.set(e);
            }
        });
        thread.start();
        await().until(() -> queue.snapshot().length() == before + 1 || !thread.isAlive());
        return thread;
    }

    @Test
    void manyThreadsShareOnePermit() throws Exception {
        for (QueueSpec spec :
                List.of(QueueSpec.of(10), QueueSpec.of(10).unfair(IntervalFunction.of(Duration.ofMillis(5))))) {
            ManagedLimiter limiter = Limiters.of("real", new Semaphore(1));
            AdmissionQueue queue = AdmissionQueue.before(limiter, spec);
            CountDownLatch done = new CountDownLatch(8);
            int[] count = new int[1];
            for (int t = 0; t < 8; t++) {
                new Thread(() -> {
                            try {
                                for (int i = 0; i < 10_000; i++) {
                                    Permit permit = (Permit) queue.acquire(Request.ONE, EVER);
                                    count[0]++;
                                    permit.close();
                                }
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                            done.countDown();
                        })
                        .start();
            }
            assertTrue(done.await(2, TimeUnit.MINUTES), queue.snapshot()::toString);
            assertEquals(80_000, count[0]);
            assertEquals(1, free(limiter));
        }
    }

    @Test
    void aCallerThatComesBackAtOnceDoesNotWaitBehindItself() throws Exception {
        ManagedLimiter limiter = Limiters.of("real", new Semaphore(1));
        AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(1));
        BlockingQueue<Permit> out = new LinkedBlockingQueue<>();
        Thread closer = new Thread(() -> {
            try {
                for (int i = 0; i < 20_000; i++) {
                    out.take().close();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        closer.start();
        for (int i = 0; i < 20_000; i++) {
            out.add(assertInstanceOf(Permit.class, queue.acquire(Request.ONE, EVER)));
        }
        closer.join();
        assertEquals(1, free(limiter));
    }
}
