package dev.weir.queue;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.discipline.Discipline;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.Fifo;
import dev.weir.queue.discipline.Waiter;
import dev.weir.spi.Gate;
import dev.weir.spi.Registration;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.VirtualTime;
import io.github.resilience4j.core.IntervalFunction;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Interleavings of the end of one wait with the next, each brought about step by step. */
class HandOffTest {
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final IntervalFunction RARELY = IntervalFunction.of(Duration.ofMillis(100));

    /** Sheds every waiter that moves to it. */
    private static final DisciplineSpec SHEDDING = () -> new Discipline() {
        @Override
        public boolean offer(Waiter waiter) {
            return false;
        }

        @Override
        public @Nullable Waiter next(long now, Consumer<Waiter> shed) {
            return null;
        }

        @Override
        public void remove(Waiter waiter) {}
    };

    private final VirtualTime time = new VirtualTime();
    private final AtomicReference<Runnable> whenTheClockIsRead = new AtomicReference<>(() -> {});

    private long read() {
        whenTheClockIsRead.get().run();
        return time.read();
    }

    private AdmissionQueue queue(Gate gate, QueueSpec spec) {
        return AdmissionQueue.builder("limiter", gate, spec)
                .ticker(this::read)
                .alarm(time::alarm)
                .executor(Runnable::run)
                .build();
    }

    @Test
    void S3_aLongQueueIsHandedOffFromWithinItsCompletions() {
        ManagedLimiter limiter = Limiters.of("limiter", new Semaphore(1));
        AdmissionQueue queue = queue(limiter, QueueSpec.of(100_000));
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        List<CompletableFuture<Void>> waiting = IntStream.range(0, 100_000)
                .mapToObj(i -> queue.acquireAsync(Request.ONE, EVER).thenAccept(d -> ((Permit) d).close()))
                .toList();
        held.close();
        waiting.forEach(CompletableFuture::join);
        assertEquals(0, queue.snapshot().length());
        Oracle.assertCapacity(1, limiter);
    }

    /** Each stage releases and acquires again before the next is granted: a chain that never ends, on one thread. */
    @Test
    void aChainOfInlineStagesKeepsNoneOfItsLinks() {
        ManagedLimiter limiter = Limiters.of("limiter", new Semaphore(1));
        AdmissionQueue queue = queue(limiter, QueueSpec.of(10));
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        AtomicReference<WeakReference<Object>> first = new AtomicReference<>(new WeakReference<>(null));
        AtomicInteger links = new AtomicInteger();
        AtomicBoolean collected = new AtomicBoolean();
        AtomicReference<Runnable> acquire = new AtomicReference<>();
        acquire.set(() -> {
            CompletableFuture<Decision> link = queue.acquireAsync(Request.ONE, EVER);
            link.thenAccept(decision -> {
                int count = links.incrementAndGet();
                if (count == 10) {
                    first.set(new WeakReference<>(decision));
                } else if (count == 10_000) {
                    for (int i = 0; i < 100 && first.get().get() != null; i++) {
                        System.gc();
                    }
                    collected.set(first.get().get() == null);
                }
                if (count < 10_000) {
                    acquire.get().run();
                }
                ((Permit) decision).close();
            });
        });
        acquire.get().run();
        acquire.get().run();
        held.close();
        assertTrue(links.get() >= 10_000, links::toString);
        assertTrue(collected.get(), "what was granted long ago is still held");
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void S3_aGrantIsDeliveredBeforeThousandsOfOthersAreGranted() {
        ManagedLimiter limiter = Limiters.of("limiter", new Semaphore(1));
        AtomicInteger granted = new AtomicInteger();
        AtomicInteger maxPending = new AtomicInteger();
        AtomicInteger notified = new AtomicInteger();
        AdmissionQueue queue = queue(
                new Watched(
                        limiter,
                        () -> maxPending.accumulateAndGet(granted.incrementAndGet() - notified.get(), Math::max)),
                QueueSpec.of(10_000));
        Permit held = (Permit) limiter.tryAcquire();
        IntStream.range(0, 10_000)
                .forEach(i -> queue.acquireAsync(Request.ONE, EVER).thenRun(notified::incrementAndGet));
        granted.set(0);
        maxPending.set(0);
        limiter.dial().setLimit(20_000);
        assertEquals(10_000, notified.get());
        assertTrue(maxPending.get() <= 100, maxPending::toString);
        held.close();
    }

    @Test
    void S8_aHandOffEndsWithTheUnfairQueue() {
        ManagedLimiter limiter = Limiters.of("limiter", new Semaphore(1));
        AdmissionQueue queue = queue(limiter, QueueSpec.of(10).unfair(RARELY));
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        CompletableFuture<Decision> waiting = queue.acquireAsync(Request.ONE, EVER);
        AtomicInteger reads = new AtomicInteger();
        time.jumpTo(2 * AdmissionQueue.HAND_OFF_AFTER.toNanos());
        whenTheClockIsRead.set(() -> {
            if (reads.incrementAndGet() == 2) {
                queue.reconfigure(QueueSpec.of(10));
            }
        });
        CompletableFuture<Decision> newcomer = queue.acquireAsync(Request.ONE, EVER);
        assertEquals(QueueSpec.of(10), queue.spec());
        held.close();
        ((Permit) waiting.join()).close();
        ((Permit) newcomer.join()).close();
        assertInstanceOf(Permit.class, queue.tryAcquire(Request.ONE)).close();
    }

    /** The schedule is gone between a rejection and the plan for the next attempt. */
    @Test
    void aQueueThatBecomesFairWhileAWaiterIsTriedCountsNoFailure() {
        for (int reading = 1; reading <= 8; reading++) {
            int becomesFairAt = reading;
            AtomicInteger reads = new AtomicInteger();
            ManagedLimiter limiter = Limiters.of("limiter", new Semaphore(1));
            AdmissionQueue queue = queue(limiter, QueueSpec.of(10).unfair(RARELY));
            Permit held = (Permit) queue.tryAcquire(Request.ONE);
            whenTheClockIsRead.set(() -> {
                if (reads.incrementAndGet() == becomesFairAt) {
                    queue.reconfigure(QueueSpec.of(10));
                }
            });
            CompletableFuture<Decision> waiting = queue.acquireAsync(Request.ONE, EVER);
            whenTheClockIsRead.set(() -> {});
            assertEquals(0, queue.snapshot().failures(), "changed at reading " + reading);
            held.close();
            assertInstanceOf(Permit.class, waiting.join()).close();
            queue.close();
        }
    }

    @Test
    void S3_aShedWaiterThatWasWokenWakesTheNext() throws Exception {
        ManagedLimiter limiter = Limiters.of("limiter", new Semaphore(1));
        QueueSpec unfair = QueueSpec.of(10).unfair(RARELY);
        CountDownLatch stopped = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger attempted = new AtomicInteger();
        AdmissionQueue queue = queue(
                new Watched(limiter, () -> {
                    if (attempted.incrementAndGet() == 3) {
                        stopped.countDown();
                        join(goOn);
                    }
                }),
                unfair);
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        AtomicReference<Decision> refused = new AtomicReference<>();
        Thread called = waiter(queue, refused);
        join(stopped);
        held.close();
        Permit again = (Permit) limiter.tryAcquire();
        queue.reconfigure(unfair.by(SHEDDING));
        queue.reconfigure(unfair);
        goOn.countDown();
        called.join();
        assertInstanceOf(Rejection.class, refused.get());
        AtomicReference<Decision> granted = new AtomicReference<>();
        Thread next = waiter(queue, granted);
        await().until(() -> next.getState() == Thread.State.TIMED_WAITING);
        again.close();
        next.join();
        assertInstanceOf(Permit.class, granted.get()).close();
        Oracle.assertCapacity(1, limiter);
    }

    /** Runs something before each attempt. */
    private record Watched(ManagedLimiter limiter, Runnable attempted) implements Gate {
        @Override
        public Decision attempt(Request request) {
            attempted.run();
            return limiter.attempt(request);
        }

        @Override
        public Registration whenCapacity(Runnable wakeUp) {
            return limiter.whenCapacity(wakeUp);
        }
    }

    private static Thread waiter(AdmissionQueue queue, AtomicReference<Decision> ending) {
        Thread thread = new Thread(() -> {
            try {
                ending.set(queue.acquire(Request.ONE, EVER));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void join(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void S3_capacityFirstThenTheNotification() {
        ManagedLimiter limiter = Limiters.of("limiter", new Semaphore(2));
        AdmissionQueue queue = queue(limiter, QueueSpec.of(10));
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        CompletableFuture<Decision> wide = queue.acquireAsync(Request.of(2), EVER);
        CompletableFuture<Decision> narrow = queue.acquireAsync(Request.ONE, EVER);
        AtomicBoolean notified = new AtomicBoolean();
        queue.observe((request, decision, waited) -> {
            notified.set(true);
            assertTrue(request.permits() == 1 || narrow.isDone(), "its follower is in");
        });
        wide.cancel(false);
        assertTrue(notified.get());
        assertEquals(0, queue.snapshot().failures());
        ((Permit) narrow.join()).close();
        held.close();
        Oracle.assertCapacity(2, limiter);
    }

    @Test
    void S3_aWaiterBehindOneThatWasEvictedInVainIsGranted() {
        ManagedLimiter limiter = Limiters.of("limiter", new Semaphore(2));
        AdmissionQueue queue = queue(limiter, QueueSpec.of(2).by(Fickle::new));
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        CompletableFuture<Decision> wide = queue.acquireAsync(Request.of(2), EVER);
        CompletableFuture<Decision> narrow = queue.acquireAsync(Request.ONE, EVER);
        assertFalse(narrow.isDone());
        CompletableFuture<Decision> newcomer = queue.acquireAsync(Request.forKey("unwelcome"), EVER);
        assertInstanceOf(Rejection.class, newcomer.join());
        assertInstanceOf(Rejection.class, wide.join());
        ((Permit) narrow.join()).close();
        held.close();
        Oracle.assertCapacity(2, limiter);
    }

    /** Makes room for everybody, and then does not take some. */
    private static final class Fickle implements Discipline {
        private final Discipline fifo = new Fifo().create();

        @Override
        public boolean offer(Waiter newcomer) {
            return newcomer.request().key() == null && fifo.offer(newcomer);
        }

        @Override
        public @Nullable Waiter next(long now, Consumer<Waiter> shed) {
            return fifo.next(now, shed);
        }

        @Override
        public void remove(Waiter waiter) {
            fifo.remove(waiter);
        }

        @Override
        public @Nullable Waiter shedFor(Waiter newcomer) {
            return fifo.next(0, waiter -> {});
        }
    }
}
