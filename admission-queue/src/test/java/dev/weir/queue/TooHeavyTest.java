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
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Partitioned;
import dev.weir.algorithms.PriorityShedding;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.queue.discipline.EarliestDeadline;
import dev.weir.queue.discipline.FairShare;
import dev.weir.queue.discipline.Lifo;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.VirtualTime;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
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

    private CompletableFuture<Decision> acquire(AdmissionQueue queue, long permits) {
        return queue.acquireAsync(Request.of(permits), EVER);
    }

    @ParameterizedTest
    @MethodSource("specs")
    void S14_aWaiterOutlastsALowLimitAndHoldsUpNoOther(QueueSpec spec) {
        AdmissionQueue queue = queue(spec);
        Permit all = (Permit) queue.tryAcquire(Request.of(10));
        CompletableFuture<Decision> eight = acquire(queue, 8);
        limiter.dial().setLimit(4);
        all.close();
        assertFalse(eight.isDone(), "more than the limit at present");
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Decision> small = acquire(queue, 3);
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
    void S3_aLoweredLimitLetsOthersPassTheOneThatItIsTooLowFor(QueueSpec spec) {
        AdmissionQueue queue = queue(spec);
        assertInstanceOf(Permit.class, queue.tryAcquire(Request.of(3)));
        CompletableFuture<Decision> eight = acquire(queue, 8);
        CompletableFuture<Decision> two = acquire(queue, 2);
        limiter.dial().setLimit(7);
        assertInstanceOf(Permit.class, two.getNow(null));
        assertFalse(eight.isDone());
    }

    @Test
    void S3_oneThatIsTooHeavyIsFoundBehindOneThatIsRefused() {
        AdmissionQueue queue = queue(FAIR.by(new FairShare()));
        assertInstanceOf(Permit.class, queue.tryAcquire(Request.of(5)));
        CompletableFuture<Decision> six = queue.acquireAsync(heavy("a", 6), EVER);
        CompletableFuture<Decision> eight = queue.acquireAsync(heavy("b", 8), EVER);
        CompletableFuture<Decision> nine = queue.acquireAsync(heavy("b", 9), EVER);
        CompletableFuture<Decision> one = queue.acquireAsync(heavy("b", 1), EVER);
        limiter.reconfigure(new Semaphore(7));
        assertInstanceOf(Permit.class, one.getNow(null));
        assertFalse(six.isDone() || eight.isDone() || nine.isDone());
        limiter.reconfigure(new Semaphore(20));
        assertInstanceOf(Permit.class, eight.getNow(null));
        assertInstanceOf(Permit.class, six.getNow(null));
        assertFalse(nine.isDone());
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
        assertInstanceOf(Permit.class, acquire(queue, 4).join()).close();
        Oracle.assertCapacity(4, limiter);
    }

    @Test
    void S7_severalHaveTheirTurnInOrderOfArrival() {
        AdmissionQueue queue = queue(FAIR);
        Permit all = (Permit) queue.tryAcquire(Request.of(10));
        CompletableFuture<Decision> eight = acquire(queue, 8);
        CompletableFuture<Decision> one = acquire(queue, 1);
        CompletableFuture<Decision> five = acquire(queue, 5);
        limiter.dial().setLimit(4);
        all.close();
        Permit small = assertInstanceOf(Permit.class, one.join());
        assertFalse(eight.isDone() || five.isDone());
        limiter.dial().setLimit(6);
        Permit middle = assertInstanceOf(Permit.class, five.join());
        limiter.dial().setLimit(10);
        CompletableFuture<Decision> newcomer = acquire(queue, 1);
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
        CompletableFuture<Decision> waiting = acquire(queue, 10);
        CompletableFuture<Decision> never = acquire(queue, 11);
        CompletableFuture<Decision> last = acquire(queue, 1);
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
        CompletableFuture<Decision> head = acquire(queue, 4);
        CompletableFuture<Decision> eight = acquire(queue, 8);
        all.close();
        ((Permit) head.join()).close();
        assertEquals(Reason.NEVER, ((Rejection) eight.join()).reason());
    }

    @Test
    void S14_aLowLimitOfOneKeyHoldsUpNoOtherOfThatKey() {
        limiter.reconfigure(Keyed.of(new Semaphore(10), 10));
        AdmissionQueue queue = queue(FAIR.by(new FairShare()));
        Permit a = (Permit) queue.tryAcquire(heavy("a", 10));
        Permit b = (Permit) queue.tryAcquire(heavy("b", 10));
        queue.acquireAsync(Request.forKey("b"), EVER);
        CompletableFuture<Decision> eight = queue.acquireAsync(heavy("a", 8), EVER);
        CompletableFuture<Decision> one = queue.acquireAsync(Request.forKey("a"), EVER);
        limiter.reconfigure(Keyed.of(new Semaphore(4), 10));
        a.close();
        assertFalse(eight.isDone());
        assertInstanceOf(Permit.class, one.getNow(null));
        b.close();
    }

    @Test
    void S14_aTooHeavyWaiterHoldsUpNoSubqueue() {
        for (int heavy = 0; heavy < 10; heavy++) {
            for (int free = 0; free < 10; free++) {
                if (heavy != free) {
                    oneSubqueueIsTooHeavyAndAnotherFree(heavy, free);
                }
            }
        }
    }

    private void oneSubqueueIsTooHeavyAndAnotherFree(int heavy, int free) {
        Map<Object, Integer> percents = new HashMap<>();
        for (int key = 0; key < 10; key++) {
            percents.put(key, 10);
        }
        ManagedLimiter parts = Limiters.of("parts", new Partitioned(40, percents, 0));
        AdmissionQueue queue = AdmissionQueue.builder("parts", parts, FAIR.by(new FairShare()))
                .executor(Runnable::run)
                .build();
        List<CompletableFuture<Decision>> waiting = new ArrayList<>();
        percents.keySet().forEach(key -> queue.tryAcquire(heavy(key, 4)));
        for (int key = 0; key < 10; key++) {
            waiting.add(queue.acquireAsync(heavy(key, key == heavy ? 3 : 1), EVER));
        }
        percents.replaceAll((key, percent) -> 8);
        percents.put(heavy, 4);
        percents.put(free, 32);
        parts.reconfigure(new Partitioned(50, percents, 0));
        assertFalse(waiting.get(heavy).isDone());
        assertInstanceOf(
                Permit.class, waiting.get(free).getNow(null), () -> heavy + " is too heavy, " + free + " free");
    }

    @Test
    void S14_eachSubqueueHasItsTurnWhenTheLimitHasRoomAgain() {
        limiter.reconfigure(Keyed.of(new Semaphore(10), 10));
        AdmissionQueue queue = queue(FAIR.by(new FairShare()));
        Permit a = (Permit) queue.tryAcquire(heavy("a", 3));
        Permit b = (Permit) queue.tryAcquire(heavy("b", 3));
        CompletableFuture<Decision> eight = queue.acquireAsync(heavy("a", 8), EVER);
        CompletableFuture<Decision> another = queue.acquireAsync(heavy("b", 8), EVER);
        limiter.reconfigure(Keyed.of(new Semaphore(4), 10));
        b.close();
        assertFalse(another.isDone());
        limiter.reconfigure(Keyed.of(new Semaphore(10), 10));
        assertFalse(eight.isDone());
        assertInstanceOf(Permit.class, another.getNow(null));
        a.close();
        assertInstanceOf(Permit.class, eight.getNow(null));
    }

    private record Never(StrategySpec spec, Request request, int others) {}

    static List<Never> nevers() {
        Duration milli = Duration.ofMillis(1);
        Duration second = Duration.ofSeconds(1);
        return List.of(
                new Never(AllOf.of(new Semaphore(100), Keyed.of(new Semaphore(10), 50)), heavy("k", 20), 100),
                new Never(AllOf.of(new Semaphore(100), Keyed.of(new Semaphore(10), 50)), heavy(null, 2), 100),
                new Never(AllOf.of(new Semaphore(3), TokenBucket.of(1, milli)), heavy("k", 2), 3),
                new Never(AllOf.of(TokenBucket.of(100, second), TokenBucket.of(5, milli)), heavy("k", 6), 100),
                new Never(new PriorityShedding(10, List.of(50)), new Request(7, 1, "k", Request.NO_DEADLINE), 10));
    }

    private static Request heavy(@Nullable Object key, long permits) {
        return new Request(permits, 0, key, Request.NO_DEADLINE);
    }

    @ParameterizedTest
    @MethodSource("nevers")
    void S14_whatIsNeverGrantedIsRefusedWhenItsTurnComes(Never never) {
        limiter.reconfigure(never.spec);
        AdmissionQueue queue = queue(FAIR);
        Reason reason = never.request.key() == null ? Reason.KEY_MISSING : Reason.NEVER;
        assertEquals(reason, ((Rejection) queue.tryAcquire(never.request)).reason());
        List<Permit> all = new ArrayList<>();
        for (int i = 0; i < never.others; i++) {
            all.add((Permit) queue.tryAcquire(Request.forKey("other " + i % 10)));
            time.advance(Duration.ofMillis(never.others == 3 ? 1 : 0).plusNanos(300_000));
        }
        for (int i = 0; i < 100 && queue.tryAcquire(Request.forKey(i)) instanceof Permit permit; i++) {
            all.add(permit);
        }
        CompletableFuture<Decision> first = queue.acquireAsync(Request.forKey("z"), EVER);
        CompletableFuture<Decision> second = queue.acquireAsync(never.request, EVER);
        assertFalse(first.isDone() || second.isDone());
        limiter.dial().setLimit(limiter.dial().limit() + 1);
        all.forEach(Permit::close);
        time.advance(Duration.ofSeconds(1));
        assertInstanceOf(Permit.class, first.getNow(null));
        assertEquals(
                reason, assertInstanceOf(Rejection.class, second.getNow(null)).reason());
    }

    static List<Consumer<ManagedLimiter>> fallsToFour() {
        return List.of(
                limiter -> limiter.dial().setLimit(4),
                limiter -> limiter.reconfigure(new Semaphore(4)),
                limiter -> limiter.reconfigure(AllOf.of(new Semaphore(10), Keyed.of(new Semaphore(4), 10))));
    }

    @ParameterizedTest
    @MethodSource("fallsToFour")
    void S14_aTooHeavyRequestThatArrivesAfterTheLimitFellIsRefused(Consumer<ManagedLimiter> falls) {
        AdmissionQueue queue = queue(FAIR);
        Permit all = (Permit) queue.tryAcquire(heavy("k", 10));
        CompletableFuture<Decision> head = queue.acquireAsync(Request.forKey("k"), EVER);
        CompletableFuture<Decision> eleven = queue.acquireAsync(heavy("k", 11), EVER);
        falls.accept(limiter);
        CompletableFuture<Decision> eight = queue.acquireAsync(heavy("k", 8), EVER);
        all.close();
        assertInstanceOf(Permit.class, head.getNow(null)).close();
        assertEquals(
                Reason.NEVER,
                assertInstanceOf(Rejection.class, eight.getNow(null)).reason());
        assertEquals(
                Reason.NEVER,
                assertInstanceOf(Rejection.class, eleven.getNow(null)).reason());
    }

    @ParameterizedTest
    @MethodSource("fallsToFour")
    void S14_aRequestThatFittedOnArrivalWaitsOnThoughItWasNotTriedThen(Consumer<ManagedLimiter> falls) {
        limiter.reconfigure(AllOf.of(new Semaphore(10), Keyed.of(new Semaphore(10), 10)));
        AdmissionQueue queue = queue(FAIR);
        Permit all = (Permit) queue.tryAcquire(heavy("k", 10));
        CompletableFuture<Decision> head = queue.acquireAsync(Request.forKey("k"), EVER);
        CompletableFuture<Decision> eight = queue.acquireAsync(heavy("k", 8), EVER);
        falls.accept(limiter);
        all.close();
        assertInstanceOf(Permit.class, head.getNow(null)).close();
        assertInstanceOf(Permit.class, queue.tryAcquire(Request.forKey("k"))).close();
        assertFalse(eight.isDone());
        limiter.reconfigure(new Semaphore(11));
        assertInstanceOf(Permit.class, eight.getNow(null));
        assertEquals(0, queue.snapshot().never());
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
            thread.join();
            assertInstanceOf(Permit.class, ending.get()).close();
            Oracle.assertCapacity(10, real);
        }
    }
}
