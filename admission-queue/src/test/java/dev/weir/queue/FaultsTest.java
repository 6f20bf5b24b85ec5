package dev.weir.queue;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
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
import dev.weir.queue.discipline.Waiter;
import dev.weir.spi.Gate;
import dev.weir.spi.Registration;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Code of others that fails: clocks, alarms, executors, gates, disciplines. Nothing leaks and the queue goes on. */
class FaultsTest {
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);
    /** No machine is so slow; a thread that never ends its loop would not see an interrupt. */
    private static final Duration HANGS = Duration.ofMinutes(10);

    private static final Duration SHORT = Duration.ofMillis(20);

    private final VirtualTime time = new VirtualTime();
    private final ManagedLimiter limiter = Limiters.of("limiter", new Semaphore(1));

    private AdmissionQueue.Builder builder() {
        return AdmissionQueue.builder("limiter", limiter, QueueSpec.of(10)).executor(Runnable::run);
    }

    private AdmissionQueue queueBy(DisciplineSpec discipline) {
        return AdmissionQueue.builder("limiter", limiter, QueueSpec.of(2).by(discipline))
                .executor(Runnable::run)
                .build();
    }

    private static <T> T answered(CompletableFuture<T> future) throws Exception {
        return future.get(2, TimeUnit.MINUTES);
    }

    @Test
    void S15_anAlarmThatThrowsDelaysNoTimeOut() throws Exception {
        AdmissionQueue queue = builder()
                .alarm((nanos, action) -> {
                    throw new IllegalStateException("made up");
                })
                .build();
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        for (int i = 0; i < 2; i++) {
            assertInstanceOf(Rejection.class, answered(queue.acquireAsync(Request.ONE, SHORT)));
        }
        held.close();
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void S15_anObserverIsToldOfEachChangeAndMayThrow() {
        AdmissionQueue queue = builder().build();
        AtomicInteger told = new AtomicInteger();
        queue.observe(new QueueObserver() {
            @Override
            public void onWaited(Request request, Decision decision, long waitedNanos) {}

            @Override
            public void onReconfigured() {
                told.incrementAndGet();
                throw new IllegalStateException("made up");
            }
        });
        queue.reconfigure(QueueSpec.of(3));
        queue.reconfigure(QueueSpec.of(3));
        assertEquals(1, told.get());
        assertEquals(3, queue.spec().capacity());
        assertEquals(1, queue.snapshot().failures());
    }

    @Test
    void S15_anExecutorThatRejectsDelaysNoTimeOut() throws Exception {
        AdmissionQueue queue = builder()
                .executor(task -> {
                    throw new RejectedExecutionException("made up");
                })
                .build();
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        for (int i = 0; i < 2; i++) {
            assertInstanceOf(Rejection.class, answered(queue.acquireAsync(Request.ONE, SHORT)));
        }
        held.close();
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void S15_anExecutorThatRunsAndThenThrowsTakesNoPermitBack() throws Exception {
        Executor runsAndThrows = task -> {
            task.run();
            throw new IllegalStateException("made up");
        };
        AdmissionQueue queue = builder().executor(runsAndThrows).build();
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        CompletableFuture<Decision> waiting = queue.acquireAsync(Request.ONE, EVER);
        held.close();
        Permit granted = assertInstanceOf(Permit.class, answered(waiting));
        assertInstanceOf(Rejection.class, limiter.tryAcquire(), "it is out");
        assertTrue(granted.release(dev.weir.Outcome.SUCCESS));
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void S15_aClockThatThrowsLeavesNoWaiter() throws Exception {
        AtomicBoolean broken = new AtomicBoolean();
        AtomicBoolean arrived = new AtomicBoolean();
        AdmissionQueue queue = builder()
                .ticker(() -> {
                    if (broken.get() && arrived.getAndSet(true)) {
                        throw new IllegalStateException("made up");
                    }
                    return 0;
                })
                .build();
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        broken.set(true);
        assertThrows(IllegalStateException.class, () -> queue.acquire(Request.ONE, EVER));
        broken.set(false);
        held.close();
        assertEquals(0, queue.snapshot().length());
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void R4_aThreadSleepsWhileTheClockGoesBack() throws Exception {
        AtomicLong clock = new AtomicLong();
        AdmissionQueue queue = builder().ticker(clock::decrementAndGet).build();
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        Thread waiter = new Thread(() -> {
            try {
                ((Permit) queue.acquire(Request.ONE, EVER)).close();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        waiter.start();
        await().until(() -> queue.snapshot().length() == 1);
        await().during(Duration.ofMillis(200)).until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
        held.close();
        waiter.join();
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void S15_theDispatcherRunsAgainAfterAnError() {
        AtomicBoolean broken = new AtomicBoolean();
        Gate gate = new Gate() {
            @Override
            public Decision attempt(Request request) {
                if (broken.get()) {
                    throw new StackOverflowError("made up");
                }
                return limiter.attempt(request);
            }

            @Override
            public Registration whenCapacity(Runnable wakeUp) {
                return limiter.whenCapacity(wakeUp);
            }
        };
        AdmissionQueue queue = AdmissionQueue.builder("limiter", gate, QueueSpec.of(10))
                .ticker(time)
                .alarm(time::alarm)
                .executor(Runnable::run)
                .build();
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        CompletableFuture<Decision> waiting = queue.acquireAsync(Request.ONE, EVER);
        broken.set(true);
        held.close();
        assertFalse(waiting.isDone());
        broken.set(false);
        time.advance(Duration.ofMillis(2));
        ((Permit) waiting.join()).close();
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void S15_aDisciplineThatThrowsOnRemovalStopsNoOther() {
        assertTimeoutPreemptively(HANGS, () -> {
            AdmissionQueue queue = queueBy(() -> new Faulty(false));
            Permit held = (Permit) queue.tryAcquire(Request.ONE);
            CompletableFuture<Decision> first = queue.acquireAsync(Request.ONE, EVER);
            CompletableFuture<Decision> second = queue.acquireAsync(Request.ONE, EVER);
            held.close();
            ((Permit) first.join()).close();
            ((Permit) second.join()).close();
            assertEquals(0, queue.snapshot().length());
            Oracle.assertCapacity(1, limiter);
        });
    }

    @Test
    void S15_aDisciplineThatShedsAWaiterThatLeftCausesARejection() {
        assertTimeoutPreemptively(HANGS, () -> {
            AdmissionQueue queue = queueBy(() -> new Faulty(true));
            Permit held = (Permit) queue.tryAcquire(Request.ONE);
            queue.acquireAsync(Request.ONE, EVER);
            queue.acquireAsync(Request.ONE, EVER);
            queue.acquireAsync(Request.ONE, EVER);
            assertInstanceOf(
                    Rejection.class, queue.acquireAsync(Request.ONE, EVER).join());
            held.close();
            queue.close();
            assertEquals(0, queue.snapshot().length());
        });
    }

    /** Names the one who came first, for ever. */
    private static final class Faulty implements Discipline {
        private final boolean sheds;
        private @Nullable Waiter first;

        Faulty(boolean sheds) {
            this.sheds = sheds;
        }

        @Override
        public boolean offer(Waiter newcomer) {
            first = first == null ? newcomer : first;
            return true;
        }

        @Override
        public @Nullable Waiter next(long now, Consumer<Waiter> shed) {
            return first;
        }

        @Override
        public void remove(Waiter waiter) {
            throw new IllegalStateException("made up");
        }

        @Override
        public @Nullable Waiter shedFor(Waiter newcomer) {
            return sheds ? first : null;
        }
    }
}
