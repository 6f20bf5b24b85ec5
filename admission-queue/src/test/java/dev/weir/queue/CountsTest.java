package dev.weir.queue;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Counts;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.engine.ManagedLimiter.LongHeldPermit;
import dev.weir.keyed.Keyed;
import dev.weir.queue.contract.QueueBench;
import dev.weir.spi.LimiterObserver;
import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each request is counted once, in the queue's snapshot, by the limiter, and by what observers hear. */
@Tag("property")
class CountsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final ManagedLimiter limiter =
            Limiters.builder("limiter", new Semaphore(1)).ticker(time).build();
    private final AdmissionQueue queue = AdmissionQueue.builder("limiter", limiter, QueueSpec.of(2))
            .executor(Runnable::run)
            .build();
    private final Counts counts = limiter.counts();
    private final Map<Reason, Integer> notified = new EnumMap<>(Reason.class);

    CountsTest() {
        limiter.observe(new LimiterObserver() {
            @Override
            public void onRejected(Request request, Rejection rejection) {
                notified.merge(rejection.reason(), 1, Integer::sum);
            }
        });
    }

    private void assertCounted(Reason reason, long expected, long inQueue) {
        assertEquals(expected, counts.refused(reason), reason::toString);
        assertEquals(expected, notified.getOrDefault(reason, 0).longValue(), reason::toString);
        assertEquals(expected, inQueue, reason::toString);
    }

    @Test
    void aRequestWithoutItsKeyIsAmongThoseThatCanNeverBeGranted() {
        limiter.reconfigure(Keyed.of(new Semaphore(1), 10));
        queue.acquireAsync(Request.ONE, SECOND);
        assertCounted(Reason.KEY_MISSING, 1, queue.snapshot().never());
        assertEquals(0, queue.snapshot().length(), "it does not wait");
    }

    @Test
    void everyRejectionOnceByItsReason() throws Exception {
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        queue.tryAcquire(Request.ONE);
        queue.acquire(Request.ONE, Duration.ZERO);
        queue.acquireAsync(Request.ONE, Duration.ZERO);
        assertCounted(Reason.CONCURRENCY, 3, queue.snapshot().limited());
        queue.acquireAsync(Request.of(2), SECOND);
        assertCounted(Reason.NEVER, 1, queue.snapshot().never());
        queue.acquireAsync(Request.ONE, SECOND);
        queue.tryAcquire(Request.ONE);
        assertCounted(Reason.CONCURRENCY, 4, queue.snapshot().limited());
        queue.acquireAsync(Request.ONE, Duration.ofDays(1)).cancel(true);
        assertCounted(Reason.CANCELLED, 1, queue.snapshot().cancelled());
        queue.acquireAsync(Request.ONE, Duration.ofDays(1));
        queue.acquireAsync(Request.ONE, SECOND);
        assertCounted(Reason.QUEUE_FULL, 1, queue.snapshot().full());
        time.advance(SECOND);
        assertCounted(Reason.TIMED_OUT, 1, queue.snapshot().timedOut());
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> queue.acquire(Request.ONE, SECOND));
        assertCounted(Reason.CANCELLED, 1, queue.snapshot().cancelled());
        held.close();
        assertEquals(1, queue.snapshot().granted());
        assertEquals(2, counts.admitted());
        queue.close();
        queue.tryAcquire(Request.ONE);
        queue.acquireAsync(Request.ONE, SECOND);
        assertCounted(Reason.CANCELLED, 3, queue.snapshot().cancelled());
    }

    @Test
    void aRateThatTakesLongerThanTheWaitIsATimeOut() {
        ManagedLimiter rate =
                Limiters.builder("rate", TokenBucket.of(1, SECOND)).ticker(time).build();
        AdmissionQueue before = AdmissionQueue.before(rate, QueueSpec.of(10));
        Counts refused = rate.counts();
        assertInstanceOf(Permit.class, before.tryAcquire(Request.ONE));
        before.acquireAsync(Request.ONE, Duration.ofMillis(10));
        before.tryAcquire(Request.ONE);
        assertEquals(1, refused.refused(Reason.TIMED_OUT));
        assertEquals(1, refused.refused(Reason.RATE));
        assertEquals(1, before.snapshot().timedOut());
        assertEquals(1, before.snapshot().limited());
    }

    @Test
    void overAnyHistoryTheCountsAddUp() {
        Seed.forAll(100, random -> {
            AtomicInteger attempted = new AtomicInteger();
            QueueBench bench = new QueueBench(QueueSpec.of(5), 3, random, () -> {
                attempted.incrementAndGet();
                return Request.of(random.nextInt(1, 4));
            });
            Counts all = bench.limiter.counts();
            for (int step = 0; step < 200; step++) {
                bench.step();
            }
            bench.finish();
            QueueSnapshot end = bench.queue.snapshot();
            long refused =
                    Arrays.stream(Reason.values()).mapToLong(all::refused).sum();
            long counted = end.limited() + end.never() + end.timedOut() + end.full() + end.cancelled() + end.shed();
            assertEquals(refused, counted);
            assertEquals(refused, attempted.get() - bench.granted());
        });
    }

    @Test
    void theLeakReportNamesTheRequestingThread() throws Exception {
        ManagedLimiter tracking =
                Limiters.builder("limiter", new Semaphore(1)).trackPermits(1).build();
        AdmissionQueue before = AdmissionQueue.before(tracking, QueueSpec.of(10));
        List<Callable<Decision>> ways = List.of(
                () -> before.acquire(Request.ONE, SECOND.multipliedBy(60)),
                () -> before.acquireAsync(Request.ONE, SECOND.multipliedBy(60)).get());
        for (Callable<Decision> way : ways) {
            Permit held = (Permit) before.tryAcquire(Request.ONE);
            assertEquals(
                    Thread.currentThread().getName(),
                    tracking.heldLongerThan(Duration.ZERO).get(0).thread());
            FutureTask<Decision> attempted = new FutureTask<>(way);
            new Thread(attempted, "requester").start();
            await().until(() -> before.snapshot().length() == 1);
            held.close();
            Permit leaked = (Permit) attempted.get();
            LongHeldPermit report = tracking.heldLongerThan(Duration.ZERO).get(0);
            assertEquals("requester", report.thread());
            assertTrue(
                    report.acquiredAt().stream()
                            .anyMatch(at -> at.getClassName().contains("CountsTest")),
                    report::toString);
            leaked.close();
        }
    }

    /** One permit is released and acquired again before each time-out: every head is tried three times and checked once. */
    @Test
    void S19_aRequestIsCheckedOnceWhetherTheLimitIsEnforcedForIt() {
        ManagedLimiter half =
                Limiters.builder("half", new Semaphore(3)).ticker(time).build();
        AdmissionQueue before = AdmissionQueue.builder("half", half, QueueSpec.of(1_000))
                .executor(Runnable::run)
                .build();
        half.enforce(0.5);
        Counts all = half.counts();
        half.tryAcquire(2);
        Permit third = (Permit) half.tryAcquire();
        for (int i = 1; i <= 1_000; i++) {
            before.acquireAsync(Request.of(3), Duration.ofMillis(i));
        }
        for (int i = 0; i < 1_000; i++) {
            third.close();
            third = (Permit) half.tryAcquire();
            time.advance(Duration.ofMillis(1));
        }
        assertEquals(0, before.snapshot().length());
        assertTrue(all.passed() >= 490 && all.passed() <= 510, () -> all.passed() + " of 1000 passed");
    }
}
