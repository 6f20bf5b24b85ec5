package dev.weir.verification.stress;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Errors, interrupts and stages that misbehave, before a queue under real threads. */
class QueueErrorsTest {
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);

    @Test
    void S4_S5_beforeEntryAndForAllTime() throws Exception {
        ManagedLimiter limiter = Limiters.of("l", new Semaphore(1));
        AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(10));
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> queue.acquire(Request.ONE, EVER));
        assertFalse(Thread.interrupted());
        Permit held = (Permit) queue.acquire(Request.ONE, Duration.ofNanos(Long.MIN_VALUE));
        assertInstanceOf(Rejection.class, queue.acquire(Request.ONE, Duration.ofSeconds(Long.MIN_VALUE)));
        List<CompletableFuture<Decision>> line = List.of(
                queue.acquireAsync(Request.ONE, EVER),
                queue.acquireAsync(Request.ONE, Duration.ofNanos(Long.MAX_VALUE)),
                queue.acquireAsync(Request.ONE, Duration.ofNanos(Long.MAX_VALUE / 2)));
        await().during(Duration.ofMillis(100)).until(() -> line.stream().noneMatch(CompletableFuture::isDone));
        held.close();
        for (CompletableFuture<Decision> one : line) {
            ((Permit) one.get(2, TimeUnit.MINUTES)).close();
        }
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void S4_nobodyIsRefusedEarly() throws Exception {
        ManagedLimiter limiter = Limiters.of("l", new Semaphore(1));
        VirtualTime time = new VirtualTime();
        AtomicLong readings = new AtomicLong();
        AdmissionQueue queue = queue(
                limiter,
                () -> {
                    readings.incrementAndGet();
                    return time.read();
                },
                time);
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        CompletableFuture<Decision> blocked = CompletableFuture.supplyAsync(() -> {
            try {
                return queue.acquire(Request.ONE, Duration.ofMillis(2));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        await().until(() -> queue.snapshot().length() == 1);
        CompletableFuture<Decision> future = queue.acquireAsync(Request.ONE, Duration.ofMillis(2));
        time.advance(1_999_999);
        long before = readings.get();
        await().until(() -> readings.get() >= before + 3);
        assertEquals(2, queue.snapshot().length());
        time.advance(1);
        assertInstanceOf(Rejection.class, future.get(2, TimeUnit.MINUTES));
        assertInstanceOf(Rejection.class, blocked.get(2, TimeUnit.MINUTES));
        held.close();
        Oracle.assertCapacity(1, limiter);
    }

    private static AdmissionQueue queue(ManagedLimiter limiter, Ticker ticker, VirtualTime time) {
        return AdmissionQueue.builder("l", limiter, QueueSpec.of(1_000))
                .ticker(ticker)
                .alarm(time::alarm)
                .build();
    }

    @Test
    void S6_stagesThatBlockOrThrowStallNobody() throws Exception {
        ManagedLimiter limiter = Limiters.of("l", new Semaphore(1));
        AdmissionQueue queue = AdmissionQueue.builder("l", limiter, QueueSpec.of(1_000))
                .executor(task -> new Thread(task).start())
                .build();
        queue.observe((request, decision, waited) -> {
            throw new AssertionError("made up");
        });
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        CountDownLatch never = new CountDownLatch(1);
        CompletableFuture<Decision> blocks = queue.acquireAsync(Request.ONE, EVER);
        CompletableFuture<Void> blocked = blocks.thenAccept(decision -> {
            ((Permit) decision).close();
            join(never);
        });
        CompletableFuture<Void> thrown = queue.acquireAsync(Request.ONE, EVER).thenAccept(decision -> {
            ((Permit) decision).close();
            throw new StackOverflowError("made up");
        });
        CompletableFuture<Decision> last = queue.acquireAsync(Request.ONE, EVER);
        held.close();
        ((Permit) last.get(2, TimeUnit.MINUTES)).close();
        assertThrows(CompletionException.class, thrown::join);
        assertFalse(blocked.isDone());
        never.countDown();
        await().until(() -> queue.snapshot().failures() == 3);
        Oracle.assertCapacity(1, limiter);
    }

    private static void join(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void R6_aHundredInterruptedWaitersCostTheNextOneInterval() throws Exception {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = Limiters.builder("rate", Pacer.of(5, Duration.ofSeconds(1)))
                .ticker(time)
                .build();
        AdmissionQueue queue = queue(limiter, time, time);
        assertInstanceOf(Permit.class, queue.tryAcquire(Request.ONE));
        List<Thread> threads = IntStream.range(0, 100)
                .mapToObj(i -> new Thread(
                        () -> assertThrows(InterruptedException.class, () -> queue.acquire(Request.ONE, EVER))))
                .toList();
        threads.forEach(Thread::start);
        threads.forEach(Thread::interrupt);
        for (Thread thread : threads) {
            thread.join();
        }
        CompletableFuture<Decision> next = queue.acquireAsync(Request.ONE, EVER);
        time.advance(Duration.ofMillis(200).minusNanos(1));
        assertFalse(next.isDone());
        time.advance(1);
        assertInstanceOf(Permit.class, next.join());
        assertEquals(0, queue.snapshot().length());
    }

    @Test
    void R7_aRaisedRateIsFeltByThoseWhoWait() throws Exception {
        ManagedLimiter limiter = Limiters.of("rate", Pacer.of(1, Duration.ofHours(1)));
        AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(1_000));
        assertInstanceOf(Permit.class, queue.tryAcquire(Request.ONE));
        CountDownLatch through = new CountDownLatch(20);
        for (int i = 0; i < 10; i++) {
            queue.acquireAsync(Request.ONE, EVER).thenRun(through::countDown);
            new Thread(() -> {
                        try {
                            queue.acquire(Request.ONE, EVER);
                            through.countDown();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    })
                    .start();
        }
        await().until(() -> queue.snapshot().length() == 20);
        limiter.reconfigure(Pacer.of(1_000, Duration.ofSeconds(1)));
        assertTrue(through.await(2, TimeUnit.MINUTES), queue.snapshot()::toString);
    }
}
