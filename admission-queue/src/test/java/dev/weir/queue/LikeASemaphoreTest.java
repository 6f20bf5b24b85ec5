package dev.weir.queue;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What {@code java.util.concurrent.Semaphore} promises, tested on a queue before a semaphore: fair and unfair, before and
 * after the strategy behind it was swapped. The differences are listed in {@code docs/guides/waiting.md}.
 */
@ParameterizedClass
@MethodSource("forms")
class LikeASemaphoreTest {
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final Duration SOON = Duration.ofMillis(5);

    /**
     * One form of the queue.
     *
     * @param spec fair or unfair
     * @param swapped whether another strategy was in force before, with permits out
     */
    record Form(QueueSpec spec, boolean swapped) {
        boolean isFair() {
            return spec.isFair();
        }
    }

    static List<Form> forms() {
        QueueSpec fair = QueueSpec.of(1_000);
        QueueSpec unfair = fair.unfair(IntervalFunction.of(Duration.ofMillis(5)));
        return List.of(new Form(fair, false), new Form(unfair, false), new Form(fair, true), new Form(unfair, true));
    }

    private final Form form;
    private final List<AdmissionQueue> queues = new ArrayList<>();

    LikeASemaphoreTest(Form form) {
        this.form = form;
    }

    @AfterEach
    void close() {
        queues.forEach(AdmissionQueue::close);
    }

    private AdmissionQueue before(ManagedLimiter limiter) {
        AdmissionQueue queue = AdmissionQueue.before(limiter, form.spec());
        queues.add(queue);
        return queue;
    }

    private ManagedLimiter limiter(long permits) {
        if (!form.swapped()) {
            return Limiters.of("limiter", new Semaphore(permits));
        }
        StrategySpec former = AllOf.of(new Semaphore(permits + 7), new Semaphore(permits + 9));
        ManagedLimiter limiter = Limiters.of("limiter", former);
        Permit out = (Permit) limiter.tryAcquire();
        limiter.reconfigure(new Semaphore(permits));
        out.close();
        return limiter;
    }

    private AdmissionQueue semaphore(long permits) {
        return before(limiter(permits));
    }

    private static <T> FutureTask<T> started(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static <T> T ended(FutureTask<T> task) throws Exception {
        return task.get(2, TimeUnit.MINUTES);
    }

    private static void awaitWaiting(AdmissionQueue queue, int count) {
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> queue.snapshot().length() == count);
    }

    @Test
    void asManyAsThereArePermitsAreGrantedAndNoMore() {
        AdmissionQueue queue = semaphore(2);
        Permit one = WayToWait.granted(queue.tryAcquire(Request.ONE));
        Permit other = WayToWait.granted(queue.tryAcquire(Request.ONE));
        assertNotNull(one);
        assertNotNull(other);
        assertNull(WayToWait.granted(queue.tryAcquire(Request.ONE)));
        one.close();
        assertNotNull(WayToWait.granted(queue.tryAcquire(Request.ONE)));
    }

    @Test
    void acquireInTheSameThreadTakesWhatIsFree() throws Exception {
        for (WayToWait way : WayToWait.values()) {
            AdmissionQueue queue = semaphore(3);
            for (int i = 0; i < 3; i++) {
                assertNotNull(way.acquire(queue, Request.ONE), way::name);
            }
            assertNull(WayToWait.granted(queue.acquire(Request.ONE, SOON)));
        }
    }

    @Test
    void aReleaseInOneThreadLetsInAnother() throws Exception {
        for (WayToWait way : WayToWait.values()) {
            AdmissionQueue queue = semaphore(1);
            Permit held = WayToWait.granted(queue.tryAcquire(Request.ONE));
            FutureTask<Permit> waiter = started(() -> way.acquire(queue, Request.ONE));
            awaitWaiting(queue, 1);
            held.close();
            assertNotNull(ended(waiter), way::name);
            assertEquals(0, queue.snapshot().length());
        }
    }

    @Test
    void twoThreadsAlternate() throws Exception {
        for (WayToWait way : WayToWait.values()) {
            AdmissionQueue queue = semaphore(1);
            AtomicInteger inside = new AtomicInteger();
            Callable<Integer> work = () -> {
                int max = 0;
                for (int i = 0; i < 200; i++) {
                    Permit permit = way.acquire(queue, Request.ONE);
                    max = Math.max(max, inside.incrementAndGet());
                    inside.decrementAndGet();
                    permit.close();
                }
                return max;
            };
            FutureTask<Integer> one = started(work);
            FutureTask<Integer> other = started(work);
            assertEquals(1, ended(one));
            assertEquals(1, ended(other));
            assertNotNull(WayToWait.granted(queue.tryAcquire(Request.ONE)));
        }
    }

    @Test
    void aWaitThatIsOverIsARejection() throws Exception {
        AdmissionQueue queue = semaphore(1);
        WayToWait.granted(queue.tryAcquire(Request.ONE));
        Rejection blocked = (Rejection) queue.acquire(Request.ONE, SOON);
        Rejection async = (Rejection) queue.acquireAsync(Request.ONE, SOON).get(2, TimeUnit.MINUTES);
        assertEquals(Reason.TIMED_OUT, blocked.reason());
        assertEquals(Reason.TIMED_OUT, async.reason());
        assertEquals(0, queue.snapshot().length());
    }

    @Test
    void aWaitOfZeroOrLessTriesOnce() throws Exception {
        for (Duration none : List.of(Duration.ZERO, Duration.ofNanos(-1), Duration.ofSeconds(Long.MIN_VALUE))) {
            AdmissionQueue queue = semaphore(1);
            Permit held = WayToWait.granted(queue.acquire(Request.ONE, none));
            assertNotNull(held);
            assertEquals(Reason.CONCURRENCY, ((Rejection) queue.acquire(Request.ONE, none)).reason());
            assertTrue(queue.acquireAsync(Request.ONE, none).isDone());
            held.close();
            assertNotNull(
                    WayToWait.granted(queue.acquireAsync(Request.ONE, none).join()));
        }
    }

    @Test
    void anInterruptEndsTheWaitOfAThread() throws Exception {
        for (WayToWait way : List.of(WayToWait.FOR_EVER, WayToWait.BY_DEFAULT, WayToWait.TIMED)) {
            AdmissionQueue queue = semaphore(1);
            Permit held = WayToWait.granted(queue.tryAcquire(Request.ONE));
            CountDownLatch running = new CountDownLatch(1);
            List<Thread> threads = new ArrayList<>();
            FutureTask<Boolean> waiter = started(() -> {
                threads.add(Thread.currentThread());
                running.countDown();
                assertThrows(InterruptedException.class, () -> way.acquire(queue, Request.ONE));
                return Thread.currentThread().isInterrupted();
            });
            running.await();
            awaitWaiting(queue, 1);
            threads.get(0).interrupt();
            assertFalse(ended(waiter), "the flag is cleared, as it is everywhere");
            assertEquals(0, queue.snapshot().length());
            held.close();
            assertNotNull(WayToWait.granted(queue.tryAcquire(Request.ONE)), "and holds nothing");
        }
    }

    @Test
    void anInterruptedThreadIsNotAdmittedEvenIfPermitsAreFree() {
        for (WayToWait way : List.of(WayToWait.FOR_EVER, WayToWait.BY_DEFAULT, WayToWait.TIMED)) {
            AdmissionQueue queue = semaphore(1);
            Thread.currentThread().interrupt();
            assertThrows(InterruptedException.class, () -> way.acquire(queue, Request.ONE), way::name);
            assertFalse(Thread.currentThread().isInterrupted());
            assertNotNull(WayToWait.granted(queue.tryAcquire(Request.ONE)));
        }
    }

    @Test
    void tryAcquireIgnoresAnInterrupt() {
        AdmissionQueue queue = semaphore(1);
        Thread.currentThread().interrupt();
        assertNotNull(WayToWait.granted(queue.tryAcquire(Request.ONE)));
        assertTrue(Thread.interrupted());
    }

    /** The JDK's uninterruptible form: a future that is waited for with {@code join}. */
    @Test
    void aJoinedFutureWaitsThroughAnInterruptAndKeepsIt() throws Exception {
        AdmissionQueue queue = semaphore(1);
        Permit held = WayToWait.granted(queue.tryAcquire(Request.ONE));
        List<Thread> threads = new ArrayList<>();
        CountDownLatch running = new CountDownLatch(1);
        FutureTask<Boolean> waiter = started(() -> {
            threads.add(Thread.currentThread());
            running.countDown();
            Permit permit =
                    WayToWait.granted(queue.acquireAsync(Request.ONE, EVER).join());
            permit.close();
            return Thread.currentThread().isInterrupted();
        });
        running.await();
        awaitWaiting(queue, 1);
        threads.get(0).interrupt();
        assertThrows(TimeoutException.class, () -> waiter.get(5, TimeUnit.MILLISECONDS));
        held.close();
        assertTrue(ended(waiter));
    }

    @Test
    void aCancelledFutureLeavesTheQueueAndHoldsNothing() {
        AdmissionQueue queue = semaphore(1);
        Permit held = WayToWait.granted(queue.tryAcquire(Request.ONE));
        CompletableFuture<Decision> waiting = queue.acquireAsync(Request.ONE, EVER);
        awaitWaiting(queue, 1);
        assertTrue(waiting.cancel(true));
        assertEquals(0, queue.snapshot().length());
        held.close();
        assertNotNull(WayToWait.granted(queue.tryAcquire(Request.ONE)));
    }

    @Test
    void severalPermitsAtOnceOrNone() throws Exception {
        for (WayToWait way : WayToWait.values()) {
            AdmissionQueue queue = semaphore(5);
            Permit three = way.acquire(queue, Request.of(3));
            assertNull(WayToWait.granted(queue.tryAcquire(Request.of(3))), "2 are free");
            FutureTask<Permit> waiter = started(() -> way.acquire(queue, Request.of(4)));
            awaitWaiting(queue, 1);
            three.close();
            Permit four = ended(waiter);
            assertNotNull(four, way::name);
            assertNotNull(WayToWait.granted(queue.tryAcquire(Request.ONE)));
            assertNull(WayToWait.granted(queue.tryAcquire(Request.ONE)));
            four.close();
        }
    }

    @Test
    void aRequestForMoreThanThereIsAtPresentIsNotOvertakenInAFairQueue() throws Exception {
        AdmissionQueue queue = semaphore(3);
        Permit two = WayToWait.granted(queue.tryAcquire(Request.of(2)));
        FutureTask<Permit> wide = started(() -> WayToWait.granted(queue.acquire(Request.of(3), EVER)));
        awaitWaiting(queue, 1);
        Permit newcomer = WayToWait.granted(queue.tryAcquire(Request.ONE));
        assertTrue(!form.isFair() || newcomer == null);
        if (newcomer != null) {
            newcomer.close();
        }
        two.close();
        assertNotNull(ended(wide));
    }

    @Test
    void fairThreadsAreAdmittedInOrderOfArrival() throws Exception {
        AdmissionQueue queue = semaphore(1);
        Permit held = WayToWait.granted(queue.tryAcquire(Request.ONE));
        StringBuffer order = new StringBuffer();
        List<FutureTask<Void>> waiters = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            String number = Integer.toString(i);
            waiters.add(started(() -> {
                Permit permit = WayToWait.granted(queue.acquire(Request.ONE, EVER));
                order.append(number);
                permit.close();
                return null;
            }));
            awaitWaiting(queue, i + 1);
        }
        held.close();
        for (FutureTask<Void> waiter : waiters) {
            ended(waiter);
        }
        assertEquals(5, order.length());
        assertTrue(!form.isFair() || order.toString().equals("01234"), order::toString);
    }

    @Test
    void howManyWaitIsSeen() throws Exception {
        AdmissionQueue queue = semaphore(1);
        Permit held = WayToWait.granted(queue.tryAcquire(Request.ONE));
        assertEquals(0, queue.snapshot().length());
        FutureTask<Permit> one = started(() -> WayToWait.granted(queue.acquire(Request.ONE, EVER)));
        awaitWaiting(queue, 1);
        CompletableFuture<Decision> other = queue.acquireAsync(Request.ONE, EVER);
        awaitWaiting(queue, 2);
        assertTrue(queue.snapshot().oldestAgeNanos() > 0);
        other.cancel(false);
        held.close();
        assertNotNull(ended(one));
        awaitWaiting(queue, 0);
    }

    @Test
    void whatIsFreeIsSeen() {
        ManagedLimiter limiter = limiter(3);
        AdmissionQueue queue = before(limiter);
        assertEquals(3, limiter.remaining());
        Permit two = WayToWait.granted(queue.tryAcquire(Request.of(2)));
        assertEquals(1, limiter.remaining());
        assertEquals(2, limiter.inFlight());
        two.close();
        assertEquals(3, limiter.remaining());
    }

    /** {@code drainPermits}: what is free is taken by one request. */
    @Test
    void allThatIsFreeCanBeTaken() {
        ManagedLimiter limiter = limiter(5);
        AdmissionQueue queue = before(limiter);
        WayToWait.granted(queue.tryAcquire(Request.of(2)));
        assertNotNull(WayToWait.granted(queue.tryAcquire(Request.of(limiter.remaining()))));
        assertEquals(0, limiter.remaining());
        assertNull(WayToWait.granted(queue.tryAcquire(Request.ONE)));
    }

    /** {@code reducePermits}: fewer may be out from now on, and those that are out stay. */
    @Test
    void fewerPermitsAdmitNoneUntilSoManyAreOut() throws Exception {
        ManagedLimiter limiter = limiter(3);
        AdmissionQueue queue = before(limiter);
        List<Permit> out = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            out.add(WayToWait.granted(queue.tryAcquire(Request.ONE)));
        }
        limiter.dial().setLimit(1);
        FutureTask<Permit> waiter = started(() -> WayToWait.granted(queue.acquire(Request.ONE, EVER)));
        awaitWaiting(queue, 1);
        out.get(0).close();
        out.get(1).close();
        assertNull(WayToWait.granted(queue.tryAcquire(Request.ONE)), "one is out");
        out.get(2).close();
        assertNotNull(ended(waiter));
    }

    /** A release without an acquire adds permits to the JDK's semaphore; there is none to release here. */
    @Test
    void morePermitsAdmitWaiters() throws Exception {
        ManagedLimiter limiter = limiter(1);
        AdmissionQueue queue = before(limiter);
        WayToWait.granted(queue.tryAcquire(Request.ONE));
        List<FutureTask<Permit>> waiters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiters.add(started(() -> WayToWait.granted(queue.acquire(Request.ONE, EVER))));
        }
        awaitWaiting(queue, 3);
        limiter.dial().setLimit(4);
        for (FutureTask<Permit> waiter : waiters) {
            assertNotNull(ended(waiter));
        }
    }

    /** The JDK counts a second release as a permit more; a permit here is released once. */
    @Test
    void aSecondReleaseAddsNothing() {
        AdmissionQueue queue = semaphore(1);
        Permit permit = WayToWait.granted(queue.tryAcquire(Request.ONE));
        assertTrue(permit.release(Outcome.SUCCESS));
        assertFalse(permit.release(Outcome.SUCCESS));
        assertNotNull(WayToWait.granted(queue.tryAcquire(Request.ONE)));
        assertNull(WayToWait.granted(queue.tryAcquire(Request.ONE)));
    }

    /** The JDK waits for ever for more than there will be, takes zero permits, and starts below zero. */
    @Test
    void whatCanNeverBeIsRefusedAtOnce() throws Exception {
        AdmissionQueue queue = semaphore(2);
        assertEquals(Reason.NEVER, ((Rejection) queue.acquire(Request.of(3), EVER)).reason());
        assertThrows(IllegalArgumentException.class, () -> Request.of(0));
        assertThrows(IllegalArgumentException.class, () -> Request.of(-1));
        assertThrows(IllegalArgumentException.class, () -> new Semaphore(0));
        assertThrows(NullPointerException.class, () -> queue.acquire(null, EVER));
        assertThrows(NullPointerException.class, () -> queue.acquireAsync(Request.ONE, null));
        assertEquals(0, queue.snapshot().length());
    }

    @Test
    void anyThreadReleasesWhatAnotherAcquired() throws Exception {
        AdmissionQueue queue = semaphore(1);
        Permit permit = ended(started(() -> WayToWait.granted(queue.acquire(Request.ONE, EVER))));
        ended(started(() -> permit.release(Outcome.SUCCESS)));
        assertNotNull(WayToWait.granted(queue.tryAcquire(Request.ONE)));
    }

    @Test
    void manyThreadsAndFuturesNeverExceedThePermits() throws Exception {
        ManagedLimiter limiter = limiter(3);
        AdmissionQueue queue = before(limiter);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger max = new AtomicInteger();
        List<FutureTask<Void>> threads = new ArrayList<>();
        for (WayToWait way : WayToWait.values()) {
            threads.add(started(() -> {
                for (int i = 0; i < 100; i++) {
                    int permits = 1 + i % 3;
                    Permit permit = way.acquire(queue, Request.of(permits));
                    max.accumulateAndGet(inside.addAndGet(permits), Math::max);
                    inside.addAndGet(-permits);
                    permit.close();
                }
                return null;
            }));
        }
        for (FutureTask<Void> thread : threads) {
            ended(thread);
        }
        assertTrue(max.get() <= 3, max::toString);
        assertEquals(3, limiter.remaining());
        assertEquals(0, queue.snapshot().length());
    }

    @Test
    void aClosedQueueRefusesWaiters() throws Exception {
        AdmissionQueue queue = semaphore(1);
        WayToWait.granted(queue.tryAcquire(Request.ONE));
        FutureTask<Decision> blocked = started(() -> queue.acquire(Request.ONE, EVER));
        CompletableFuture<String> called =
                queue.callAsync(Request.ONE, EVER, () -> CompletableFuture.completedFuture("never"));
        awaitWaiting(queue, 2);
        queue.close();
        assertEquals(
                Reason.CANCELLED,
                assertInstanceOf(Rejection.class, ended(blocked)).reason());
        assertThrows(CompletionException.class, called::join);
    }
}
