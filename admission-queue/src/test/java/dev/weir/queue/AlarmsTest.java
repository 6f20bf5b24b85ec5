package dev.weir.queue;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import dev.weir.testkit.VirtualTime;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The one alarm of a queue, and the threads on which waits end. */
class AlarmsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final VirtualTime time = new VirtualTime();

    private AdmissionQueue queue(Alarm alarm) {
        ManagedLimiter limiter =
                Limiters.builder("limiter", new Semaphore(1)).ticker(time).build();
        AdmissionQueue queue = AdmissionQueue.builder("limiter", limiter, QueueSpec.of(100_000))
                .alarm(alarm)
                .executor(Runnable::run)
                .build();
        assertInstanceOf(Permit.class, queue.tryAcquire(Request.ONE));
        return queue;
    }

    private static Reason reason(CompletableFuture<Decision> future) {
        return ((Rejection) future.join()).reason();
    }

    @Test
    void everShorterWaitsSetOneAlarm() {
        AdmissionQueue queue = queue(time);
        List<CompletableFuture<Decision>> waiting = new ArrayList<>();
        for (int i = 1_000; i > 0; i--) {
            waiting.add(queue.acquireAsync(Request.ONE, Duration.ofMillis(i)));
            assertEquals(1, time.pendingAlarms());
        }
        for (int i = 1_000; i > 0; i--) {
            time.advance(Duration.ofMillis(1));
            assertEquals(Reason.TIMED_OUT, reason(waiting.get(i - 1)));
        }
        assertEquals(0, time.pendingAlarms());
    }

    @Test
    void aWaiterThatIsRefusedByARateSetsOneAlarm() {
        ManagedLimiter limiter =
                Limiters.builder("limiter", Pacer.of(10, SECOND)).ticker(time).build();
        AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(100));
        assertInstanceOf(Permit.class, queue.tryAcquire(Request.ONE));
        for (int i = 0; i < 20; i++) {
            queue.acquireAsync(Request.ONE, EVER);
            time.advance(Duration.ofMillis(10));
            assertEquals(1, time.pendingAlarms());
        }
    }

    @Test
    void S4_aLostAlarmDelaysNoLaterTimeOut() {
        AtomicInteger set = new AtomicInteger();
        AdmissionQueue queue =
                queue((nanos, action) -> set.getAndIncrement() == 0 ? () -> {} : time.ring(nanos, action));
        CompletableFuture<Decision> unlucky = queue.acquireAsync(Request.ONE, Duration.ofMillis(10));
        time.advance(Duration.ofMillis(20));
        assertFalse(unlucky.isDone(), "its alarm was lost");
        CompletableFuture<Decision> later = queue.acquireAsync(Request.ONE, Duration.ofMillis(100));
        time.advance(1);
        assertEquals(Reason.TIMED_OUT, reason(unlucky));
        time.advance(Duration.ofMillis(100));
        assertEquals(Reason.TIMED_OUT, reason(later));
    }

    @Test
    void anAlarmThatCannotBeCancelledDoesNoHarm() {
        AdmissionQueue queue = queue((nanos, action) -> {
            Registration set = time.ring(nanos, action);
            return () -> {
                throw new IllegalStateException("made up, " + set);
            };
        });
        CompletableFuture<Decision> late = queue.acquireAsync(Request.ONE, SECOND);
        CompletableFuture<Decision> early = queue.acquireAsync(Request.ONE, Duration.ofMillis(1));
        time.advance(Duration.ofMillis(1));
        assertEquals(Reason.TIMED_OUT, reason(early));
        time.advance(SECOND);
        assertEquals(Reason.TIMED_OUT, reason(late));
    }

    @Test
    void aClosedQueueHasNoAlarm() {
        AdmissionQueue queue = queue(time);
        CompletableFuture<Decision> waiting = queue.acquireAsync(Request.ONE, SECOND);
        queue.close();
        assertEquals(Reason.CANCELLED, reason(waiting));
        assertEquals(0, time.pendingAlarms());
    }

    /** Its clock identifies the queue. */
    @Test
    void aClosedQueueIsCollectable() {
        ManagedLimiter limiter = Limiters.of("limiter", new Semaphore(1));
        Permit held = (Permit) limiter.tryAcquire();
        WeakReference<Ticker> clock = clockOfAClosedQueueBefore(limiter);
        await().until(() -> {
            System.gc();
            return clock.get() == null;
        });
        held.close();
    }

    /** One that had set an alarm for an hour, and one for a minute. */
    private static WeakReference<Ticker> clockOfAClosedQueueBefore(ManagedLimiter limiter) {
        AtomicLong reading = new AtomicLong();
        Ticker clock = reading::get;
        AdmissionQueue queue = AdmissionQueue.builder("limiter", limiter, QueueSpec.of(10))
                .ticker(clock)
                .build();
        queue.acquireAsync(Request.ONE, Duration.ofHours(1));
        queue.acquireAsync(Request.ONE, Duration.ofMinutes(1));
        queue.close();
        return new WeakReference<>(clock);
    }

    @Test
    void S4_aBlockedCommonPoolDelaysNoTimeOut() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        for (int i = 0; i < 2 * ForkJoinPool.getCommonPoolParallelism() + 2; i++) {
            ForkJoinPool.commonPool().execute(() -> join(over));
        }
        try (AdmissionQueue queue = AdmissionQueue.before(Limiters.of("limiter", new Semaphore(1)), QueueSpec.of(10))) {
            assertInstanceOf(Permit.class, queue.tryAcquire(Request.ONE));
            CompletableFuture<Decision> waiting = queue.acquireAsync(Request.ONE, Duration.ofMillis(20));
            assertInstanceOf(Rejection.class, waiting.get(2, TimeUnit.MINUTES));
        } finally {
            over.countDown();
        }
    }

    @Test
    void S4_anExecutorThatRunsNothingDelaysNoOneElse() throws Exception {
        ManagedLimiter limiter = Limiters.of("limiter", new Semaphore(1));
        try (AdmissionQueue queue = AdmissionQueue.builder("limiter", limiter, QueueSpec.of(10))
                .executor(task -> {})
                .build()) {
            Permit held = (Permit) queue.tryAcquire(Request.ONE);
            CompletableFuture<Decision> waiting = queue.acquireAsync(Request.ONE, Duration.ofMillis(20));
            await().until(() -> queue.snapshot().timedOut() == 1);
            assertFalse(waiting.isDone(), "its executor has it");
            held.close();
            assertInstanceOf(Permit.class, queue.acquire(Request.ONE, EVER));
        }
    }

    @Test
    void S6_stagesThatBlockStallNoOtherCompletion() throws Exception {
        int blocked = 40;
        ManagedLimiter limiter = Limiters.of("limiter", new Semaphore(1));
        try (AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(100))) {
            Permit held = (Permit) queue.tryAcquire(Request.ONE);
            CountDownLatch over = new CountDownLatch(1);
            CountDownLatch running = new CountDownLatch(blocked);
            List<CompletableFuture<Void>> stages = new ArrayList<>();
            for (int i = 0; i < blocked; i++) {
                stages.add(queue.acquireAsync(Request.ONE, EVER).thenAccept(decision -> {
                    ((Permit) decision).close();
                    running.countDown();
                    join(over);
                }));
            }
            held.close();
            assertTrue(running.await(2, TimeUnit.MINUTES), () -> running.getCount() + " were not answered");
            over.countDown();
            for (CompletableFuture<Void> stage : stages) {
                stage.get(2, TimeUnit.MINUTES);
            }
            assertEquals(0, queue.snapshot().failures());
        }
    }

    private static void join(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
