package dev.weir.queue;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.EarliestDeadline;
import dev.weir.queue.discipline.FairShare;
import dev.weir.queue.discipline.Fifo;
import dev.weir.queue.discipline.Lifo;
import dev.weir.queue.discipline.Priority;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Those who wait before a suspended limiter are granted when it is over, in the order of the queue, and none before. */
class SuspendedLimiterTest {
    private static final Duration TEN = Duration.ofSeconds(10);
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - 5);

    private ManagedLimiter limiter(StrategySpec spec) {
        return Limiters.builder("told", spec).ticker(time).build();
    }

    private static AdmissionQueue queue(ManagedLimiter limiter, QueueSpec spec) {
        return AdmissionQueue.builder("told", limiter, spec)
                .executor(Runnable::run)
                .build();
    }

    private static Request request(int tenant, int priority) {
        return Request.forKey("t" + tenant).withPriority(priority);
    }

    /* Six requests: tenants 0 0 0 1 1 2, priorities 2 1 0 2 1 0. */
    private static List<CompletableFuture<Decision>> enqueue(AdmissionQueue queue, List<Integer> order) {
        int[] tenants = {0, 0, 0, 1, 1, 2};
        List<CompletableFuture<Decision>> waiting = new ArrayList<>();
        for (int i = 0; i < tenants.length; i++) {
            int number = i;
            CompletableFuture<Decision> decision = queue.acquireAsync(request(tenants[i], (5 - i) % 3), EVER);
            CompletableFuture<Void> unused = decision.thenAccept(answer -> {
                assertInstanceOf(Permit.class, answer);
                order.add(number);
            });
            waiting.add(decision);
        }
        return waiting;
    }

    static Stream<Arguments> queues() {
        Map<DisciplineSpec, List<Integer>> orders = Map.of(
                new Fifo(), List.of(0, 1, 2, 3, 4, 5),
                new Lifo(), List.of(5, 4, 3, 2, 1, 0),
                new FairShare(), List.of(0, 3, 5, 1, 4, 2),
                new EarliestDeadline(), List.of(0, 1, 2, 3, 4, 5),
                new Priority(HOUR), List.of(2, 5, 1, 4, 0, 3));
        List<StrategySpec> limits = List.of(
                new Semaphore(6),
                TokenBucket.of(6, HOUR),
                Keyed.of(new Semaphore(6), 100),
                Keyed.of(TokenBucket.of(6, HOUR), 100),
                AllOf.of(Keyed.of(TokenBucket.of(6, HOUR), 100), new Semaphore(6)));
        return orders.entrySet().stream()
                .flatMap(order -> limits.stream().map(limit -> Arguments.of(order.getKey(), limit, order.getValue())));
    }

    @ParameterizedTest
    @MethodSource("queues")
    void S3_S7_allAreGrantedInTheOrderOfTheQueueWhenItIsOver(
            DisciplineSpec discipline, StrategySpec limit, List<Integer> expected) {
        ManagedLimiter limiter = limiter(limit);
        AdmissionQueue queue = queue(limiter, QueueSpec.of(100).by(discipline));
        limiter.suspendFor(TEN, "told");
        List<Integer> order = new ArrayList<>();
        enqueue(queue, order);
        time.advance(TEN.toNanos() - 1);
        assertEquals(List.of(), order);
        time.advance(1);
        assertEquals(expected, order);
    }

    @ParameterizedTest
    @MethodSource("queues")
    void S3_S7_aLaterEndHoldsThemAndASetBackTickerToo(
            DisciplineSpec discipline, StrategySpec limit, List<Integer> expected) {
        ManagedLimiter limiter = limiter(limit);
        AdmissionQueue queue = queue(limiter, QueueSpec.of(100).by(discipline));
        limiter.suspendFor(TEN, "told");
        List<Integer> order = new ArrayList<>();
        enqueue(queue, order);
        time.advance(TEN.dividedBy(2));
        limiter.suspendFor(TEN, "told again");
        time.advance(TEN.toNanos() - 1);
        assertEquals(List.of(), order);
        time.jumpTo(time.read() - HOUR.toNanos());
        time.advance(HOUR);
        assertEquals(List.of(), order);
        time.advance(1);
        assertEquals(expected, order);
    }

    /** A concurrency limit gives no time to try again, so nothing was planned for those who wait when it is suspended. */
    @Test
    void S3_whoWaitedBeforeItIsGrantedAfterIt() {
        ManagedLimiter limiter = limiter(new Semaphore(6));
        AdmissionQueue queue = queue(limiter, QueueSpec.of(100));
        Permit all = assertInstanceOf(Permit.class, queue.tryAcquire(Request.of(6)));
        List<Integer> order = new ArrayList<>();
        enqueue(queue, order);
        limiter.suspendFor(TEN, "told");
        all.close();
        assertEquals(List.of(), order, "released, and suspended");
        time.advance(TEN.toNanos() - 1);
        assertEquals(List.of(), order);
        time.advance(1);
        assertEquals(List.of(0, 1, 2, 3, 4, 5), order);
    }

    @Test
    void S3_anUnfairQueueGrantsWhenItIsOver() {
        ManagedLimiter limiter = limiter(new Semaphore(6));
        AdmissionQueue queue = queue(limiter, QueueSpec.of(100).unfair(IntervalFunction.of(Duration.ofMillis(7))));
        limiter.suspendFor(TEN, "told");
        List<Integer> order = new ArrayList<>();
        enqueue(queue, order);
        time.advance(TEN.toNanos() - 1);
        assertEquals(List.of(), order);
        time.advance(1);
        assertEquals(List.of(0, 1, 2, 3, 4, 5), order);
    }

    @Test
    void whoWouldTimeOutBeforeTheEndIsRefusedAtOnce() {
        ManagedLimiter limiter = limiter(new Semaphore(6));
        AdmissionQueue queue = queue(limiter, QueueSpec.of(100));
        limiter.suspendFor(TEN, "told");
        assertEquals(Reason.SUSPENDED, reason(queue.tryAcquire(Request.ONE)));
        assertEquals(
                Reason.SUSPENDED,
                reason(queue.acquireAsync(Request.ONE, Duration.ZERO).join()));
        assertEquals(2, queue.snapshot().limited());
        Rejection doomed =
                (Rejection) queue.acquireAsync(Request.ONE, TEN.minusNanos(1)).join();
        assertEquals(new Rejection("told", Reason.TIMED_OUT, TEN.toNanos(), 6), doomed);
        CompletableFuture<Decision> inTime = queue.acquireAsync(Request.ONE, TEN.plusNanos(1));
        time.advance(TEN);
        assertInstanceOf(Permit.class, inTime.join());
    }

    @Test
    void S14_aRequestForMoreThanTheLimitIsRefusedForGoodWhenItIsOver() {
        ManagedLimiter limiter = limiter(new Semaphore(6));
        AdmissionQueue queue = queue(limiter, QueueSpec.of(100));
        limiter.suspendFor(TEN, "told");
        CompletableFuture<Decision> heavy = queue.acquireAsync(Request.of(7), EVER);
        CompletableFuture<Decision> behind = queue.acquireAsync(Request.ONE, EVER);
        time.advance(TEN);
        assertEquals(Reason.NEVER, reason(heavy.join()));
        assertInstanceOf(Permit.class, behind.join());
    }

    @Test
    void S18_aCloseEndsAllWaitsAtOnce() {
        ManagedLimiter limiter = limiter(new Semaphore(6));
        AdmissionQueue queue = queue(limiter, QueueSpec.of(100));
        limiter.suspendFor(TEN, "told");
        CompletableFuture<Decision> waiting = queue.acquireAsync(Request.ONE, EVER);
        limiter.close();
        assertEquals(Reason.CANCELLED, reason(waiting.join()));
    }

    private static Reason reason(Decision decision) {
        return assertInstanceOf(Rejection.class, decision).reason();
    }

    /** Blocked threads time themselves, without an alarm. */
    @Test
    void S3_S7_blockedThreadsAreGrantedInOrderAndNotBefore() throws Exception {
        ManagedLimiter limiter = Limiters.of("told", new Semaphore(1));
        AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(100));
        Permit held = assertInstanceOf(Permit.class, queue.tryAcquire(Request.ONE));
        List<Integer> order = new CopyOnWriteArrayList<>();
        List<Long> granted = new CopyOnWriteArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int number = i;
            Thread thread = new Thread(() -> {
                try {
                    Permit permit = (Permit) queue.acquire(Request.ONE, EVER);
                    granted.add(limiter.ticker().read());
                    order.add(number);
                    permit.close();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            threads.add(thread);
            thread.start();
            await().until(() -> queue.length() == number + 1);
        }
        Duration told = Duration.ofMillis(200);
        long before = limiter.ticker().read();
        limiter.suspendFor(told, "told");
        held.close();
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(List.of(0, 1, 2, 3), order);
        assertTrue(granted.stream().allMatch(at -> at - before >= told.toNanos()));
    }
}
