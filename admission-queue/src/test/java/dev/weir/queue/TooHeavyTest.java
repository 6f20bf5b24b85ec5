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
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.VirtualTime;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests for more permits than the limit, when they come and when it falls below them. */
class TooHeavyTest {
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final QueueSpec FAIR = QueueSpec.of(100);

    private final VirtualTime time = new VirtualTime();
    private final ManagedLimiter limiter =
            Limiters.builder("limiter", new Semaphore(10)).ticker(time).build();

    static List<QueueSpec> specs() {
        return List.of(
                FAIR,
                FAIR.by(new Lifo()),
                FAIR.by(new FairShare()),
                FAIR.by(new EarliestDeadline()),
                FAIR.unfair(IntervalFunction.of(Duration.ofMillis(10))));
    }

    private AdmissionQueue queue(QueueSpec spec) {
        return AdmissionQueue.builder("limiter", limiter, spec)
                .executor(Runnable::run)
                .build();
    }

    private CompletableFuture<Decision> ask(AdmissionQueue queue, long permits) {
        return queue.acquireAsync(Request.of(permits), EVER);
    }

    @ParameterizedTest
    @MethodSource("specs")
    void S14_aWaiterOutlastsALowLimitAndHoldsNobodyUp(QueueSpec spec) {
        AdmissionQueue queue = queue(spec);
        Permit all = (Permit) queue.tryAcquire(Request.of(10));
        CompletableFuture<Decision> eight = ask(queue, 8);
        limiter.dial().setLimit(4);
        all.close();
        assertFalse(eight.isDone(), "more than the limit at present");
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Decision> small = ask(queue, 3);
            time.advance(Duration.ofMillis(200));
            assertInstanceOf(Permit.class, small.join(), "goes first meanwhile").close();
            assertInstanceOf(Permit.class, queue.tryAcquire(Request.ONE)).close();
        }
        Permit three = (Permit) queue.tryAcquire(Request.of(3));
        limiter.dial().setLimit(10);
        assertFalse(eight.isDone(), "7 are free");
        three.close();
        assertInstanceOf(Permit.class, eight.join()).close();
        assertEquals(0, queue.snapshot().never());
        Oracle.assertCapacity(10, limiter);
    }

    @ParameterizedTest
    @MethodSource("specs")
    void S4_itTimesOutLikeOthers(QueueSpec spec) {
        AdmissionQueue queue = queue(spec);
        Permit all = (Permit) queue.tryAcquire(Request.of(10));
        CompletableFuture<Decision> eight = queue.acquireAsync(Request.of(8), Duration.ofSeconds(1));
        limiter.dial().setLimit(4);
        all.close();
        time.advance(Duration.ofSeconds(1));
        assertEquals(Reason.TIMED_OUT, ((Rejection) eight.join()).reason());
        assertEquals(0, queue.snapshot().length());
        assertInstanceOf(Permit.class, ask(queue, 4).join()).close();
        Oracle.assertCapacity(4, limiter);
    }

    @Test
    void S7_severalHaveTheirTurnInOrderOfArrival() {
        AdmissionQueue queue = queue(FAIR);
        Permit all = (Permit) queue.tryAcquire(Request.of(10));
        CompletableFuture<Decision> eight = ask(queue, 8);
        CompletableFuture<Decision> one = ask(queue, 1);
        CompletableFuture<Decision> five = ask(queue, 5);
        limiter.dial().setLimit(4);
        all.close();
        Permit small = assertInstanceOf(Permit.class, one.join());
        assertFalse(eight.isDone() || five.isDone());
        limiter.dial().setLimit(6);
        Permit middle = assertInstanceOf(Permit.class, five.join());
        limiter.dial().setLimit(10);
        CompletableFuture<Decision> newcomer = ask(queue, 1);
        small.close();
        assertFalse(eight.isDone() || newcomer.isDone(), "the oldest is first again");
        middle.close();
        Permit large = assertInstanceOf(Permit.class, eight.join());
        assertInstanceOf(Permit.class, newcomer.join()).close();
        large.close();
        Oracle.assertCapacity(10, limiter);
    }

    @Test
    void S14_moreThanTheLimitIsRefusedWhenItComesOrItsTurnComes() {
        AdmissionQueue queue = queue(FAIR);
        Permit all = (Permit) queue.tryAcquire(Request.of(10));
        assertEquals(Reason.NEVER, ((Rejection) queue.tryAcquire(Request.of(11))).reason());
        CompletableFuture<Decision> waiting = ask(queue, 10);
        CompletableFuture<Decision> never = ask(queue, 11);
        CompletableFuture<Decision> last = ask(queue, 1);
        all.close();
        ((Permit) waiting.join()).close();
        assertEquals(Reason.NEVER, ((Rejection) never.join()).reason());
        ((Permit) last.join()).close();
        assertEquals(2, queue.snapshot().never());
        Oracle.assertCapacity(10, limiter);
    }

    @Test
    void S14_whatWasTooMuchInALowLimitAlreadyIsRefused() {
        AdmissionQueue queue = queue(FAIR);
        limiter.dial().setLimit(4);
        Permit all = (Permit) queue.tryAcquire(Request.of(4));
        CompletableFuture<Decision> head = ask(queue, 4);
        CompletableFuture<Decision> eight = ask(queue, 8);
        all.close();
        ((Permit) head.join()).close();
        assertEquals(Reason.NEVER, ((Rejection) eight.join()).reason());
    }

    @Test
    void S14_aBlockedThreadOutlastsALowLimit() throws Exception {
        for (QueueSpec spec : List.of(FAIR, FAIR.unfair(IntervalFunction.of(Duration.ofMillis(10))))) {
            ManagedLimiter real = Limiters.of("real", new Semaphore(10));
            AdmissionQueue queue = AdmissionQueue.before(real, spec);
            Permit all = (Permit) queue.tryAcquire(Request.of(10));
            AtomicReference<Decision> ending = new AtomicReference<>();
            Thread thread = new Thread(() -> {
                try {
                    ending.set(queue.acquire(Request.of(8), EVER));
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            thread.start();
            await().until(() -> queue.snapshot().length() == 1);
            real.dial().setLimit(4);
            all.close();
            assertInstanceOf(Permit.class, queue.acquire(Request.of(4), EVER)).close();
            assertTrue(thread.isAlive());
            real.dial().setLimit(10);
            thread.join(20_000);
            assertInstanceOf(Permit.class, ending.get()).close();
            Oracle.assertCapacity(10, real);
        }
    }
}
