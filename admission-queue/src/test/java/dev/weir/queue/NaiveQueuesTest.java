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
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/**
 * The two forms of waiting that are usually written by hand, with their faults, beside the queue: a task that tries again
 * every 100 ms, counted on its way, and a semaphore's own timed wait.
 */
class NaiveQueuesTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final java.util.concurrent.Semaphore semaphore = new java.util.concurrent.Semaphore(1);
    private final Rescheduled naive = new Rescheduled(time, semaphore);
    private final ManagedLimiter limiter =
            Limiters.builder("ours", new Semaphore(1)).ticker(time).build();
    private final AdmissionQueue queue = AdmissionQueue.builder("ours", limiter, QueueSpec.of(100))
            .ticker(time)
            .alarm(time::alarm)
            .executor(Runnable::run)
            .build();
    private final List<String> events = new ArrayList<>();

    private Runnable says(String event) {
        return () -> events.add(event + " at " + (time.read() - 1) / 1_000_000);
    }

    private void naively(String name, Duration timeout) {
        naive.acquire(time.read() + timeout.toNanos(), says(name), says(name + " refused"));
    }

    private void ours(String name, Duration timeout) {
        CompletableFuture<Decision> future = queue.acquireAsync(Request.ONE, timeout);
        future.thenAccept(
                d -> says(d instanceof Permit ? name : name + " refused").run());
    }

    private void millis(long millis) {
        time.advance(Duration.ofMillis(millis));
    }

    /** Tries, and if that fails, tries again in 100 ms; more than 100 on their way are refused. */
    private record Rescheduled(VirtualTime time, java.util.concurrent.Semaphore semaphore, LongAdder waiting) {
        Rescheduled(VirtualTime time, java.util.concurrent.Semaphore semaphore) {
            this(time, semaphore, new LongAdder());
        }

        void acquire(long expire, Runnable onSuccess, Runnable onFailure) {
            if (time.read() > expire || waiting.sum() > 100) {
                onFailure.run();
            } else if (semaphore.tryAcquire()) {
                onSuccess.run();
            } else {
                waiting.increment();
                time.alarm(100_000_000, () -> {
                    waiting.decrement();
                    acquire(expire, onSuccess, onFailure);
                });
            }
        }
    }

    @Test
    void reschedulingAdmitsUpToAHundredMillisecondsLate() {
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        assertTrue(semaphore.tryAcquire());
        naively("naive", SECOND);
        ours("ours", SECOND);
        millis(1);
        semaphore.release();
        held.close();
        millis(200);
        assertEquals(List.of("ours at 1", "naive at 100"), events);
    }

    @Test
    void reschedulingAdmitsInTheOrderOfThePhases() {
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        assertTrue(semaphore.tryAcquire());
        naively("naive first", SECOND);
        ours("first", SECOND);
        millis(50);
        naively("naive second", SECOND);
        ours("second", SECOND);
        millis(70);
        semaphore.release();
        held.close();
        millis(100);
        assertEquals(List.of("first at 120", "naive second at 150"), events);
    }

    @Test
    void reschedulingRefusesUpToAHundredMillisecondsLate() {
        queue.tryAcquire(Request.ONE);
        assertTrue(semaphore.tryAcquire());
        naively("naive", Duration.ofMillis(100));
        ours("ours", Duration.ofMillis(100));
        millis(300);
        assertEquals(List.of("ours refused at 100", "naive refused at 200"), events);
    }

    @Test
    void reschedulingCountsOneTooManyAndRefusesAWaiter() {
        queue.tryAcquire(Request.ONE);
        assertTrue(semaphore.tryAcquire());
        for (int i = 0; i < 103; i++) {
            naively("naive", SECOND);
            ours("ours", SECOND);
        }
        assertEquals(101, naive.waiting().sum());
        assertEquals(100, queue.snapshot().length());
        assertEquals(3, queue.snapshot().full());
        time.alarm(100_000_000, () -> naive.waiting().increment());
        events.clear();
        millis(50);
        naive.waiting().increment();
        millis(50);
        assertTrue(events.contains("naive refused at 100"), "one who had a place");
        assertFalse(events.contains("ours refused at 100"));
    }

    @Test
    void timedWaitIsOvertakenByAThreadThatTriesAtTheRightMoment() throws Exception {
        java.util.concurrent.Semaphore fair = new java.util.concurrent.Semaphore(1, true);
        boolean overtaken = false;
        for (int round = 0; round < 1_000 && !overtaken; round++) {
            fair.acquire();
            Thread waiter = started(() -> {
                if (fair.tryAcquire(10, TimeUnit.SECONDS)) {
                    fair.release();
                }
            });
            await().until(fair::hasQueuedThreads);
            fair.release();
            if (fair.tryAcquire()) {
                overtaken = true;
                fair.release();
            }
            waiter.join();
        }
        assertTrue(overtaken, "even the fair one");
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        CompletableFuture<Decision> waiting = queue.acquireAsync(Request.ONE, SECOND);
        held.close();
        assertInstanceOf(Rejection.class, queue.tryAcquire(Request.ONE));
        assertInstanceOf(Permit.class, waiting.join());
    }

    @Test
    void timedWaitDoesNotSayWhyItFailed() throws Exception {
        assertTrue(semaphore.tryAcquire());
        AtomicBoolean failed = new AtomicBoolean();
        Thread waiter = started(() -> {
            try {
                semaphore.tryAcquire(10, TimeUnit.SECONDS);
            } catch (InterruptedException swallowed) {
                failed.set(!Thread.currentThread().isInterrupted());
            }
        });
        waiter.interrupt();
        waiter.join();
        assertTrue(failed.get(), "looks like a rejection, and the interrupt is lost");
        queue.tryAcquire(Request.ONE);
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> queue.acquire(Request.ONE, SECOND));
        Rejection refused = (Rejection) queue.acquire(Request.ONE, Duration.ZERO);
        assertEquals(Reason.CONCURRENCY, refused.reason());
    }

    private interface Work {
        void run() throws InterruptedException;
    }

    private static Thread started(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        thread.start();
        return thread;
    }
}
