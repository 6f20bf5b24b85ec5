package dev.weir.queue;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.LimitExceededException;
import dev.weir.Outcome;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.WorkQueue.Entry;
import dev.weir.testkit.Oracle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Producers that block until what they put earlier is done. */
class WorkQueueTest {
    private final ManagedLimiter limiter = Limiters.of("work", new Semaphore(2));
    private final WorkQueue<Integer> queue = WorkQueue.of(limiter, QueueSpec.of(10));
    private final AtomicReference<Object> ending = new AtomicReference<>();

    private Thread puts(int element) {
        Thread thread = new Thread(() -> {
            try {
                queue.put(element);
                ending.set("put");
            } catch (Exception e) {
                ending.set(e);
            }
        });
        thread.start();
        return thread;
    }

    private Entry<Integer> taken() throws InterruptedException {
        return Objects.requireNonNull(queue.take());
    }

    @Test
    void aSlotIsHeldUntilTheConsumerIsDone() throws Exception {
        queue.put(1);
        queue.put(2);
        assertFalse(queue.offer(3, Duration.ZERO));
        Entry<Integer> first = taken();
        assertEquals(1, first.element());
        assertFalse(queue.offer(3, Duration.ofMillis(5)), "taken is not done");
        Thread producer = puts(3);
        await().until(() ->
                producer.getState() == Thread.State.WAITING || producer.getState() == Thread.State.TIMED_WAITING);
        assertTrue(first.done(Outcome.SUCCESS));
        assertFalse(first.done(Outcome.SUCCESS));
        producer.join();
        assertEquals(2, queue.size());
        taken().close();
        taken().close();
        Oracle.assertCapacity(2, limiter);
    }

    @Test
    void moreSlotsWhileItRuns() throws Exception {
        queue.put(1);
        queue.put(2);
        Thread producer = puts(3);
        limiter.dial().setLimit(3);
        producer.join();
        assertEquals("put", ending.get());
    }

    @Test
    void anInterruptedProducerHasPutNothing() throws Exception {
        queue.put(1);
        queue.put(2);
        Thread producer = puts(3);
        producer.interrupt();
        producer.join();
        assertInstanceOf(InterruptedException.class, ending.get());
        assertEquals(2, queue.size());
    }

    @Test
    void closeEndsProducersAndLetsConsumersFinish() throws Exception {
        queue.put(1);
        queue.put(2);
        Thread producer = puts(3);
        await().until(() ->
                producer.getState() == Thread.State.WAITING || producer.getState() == Thread.State.TIMED_WAITING);
        queue.close();
        producer.join();
        assertInstanceOf(LimitExceededException.class, ending.get());
        assertThrows(LimitExceededException.class, () -> queue.put(4));
        assertFalse(queue.offer(4, Duration.ZERO));
        taken().close();
        taken().close();
        assertNull(queue.take());
        Oracle.assertCapacity(2, limiter);
    }

    @Test
    void closeWakesAConsumer() throws Exception {
        Thread consumer = new Thread(() -> {
            try {
                ending.set(queue.take() == null ? "over" : "taken");
            } catch (InterruptedException e) {
                ending.set(e);
            }
        });
        consumer.start();
        await().until(() -> consumer.getState() == Thread.State.WAITING);
        queue.close();
        consumer.join();
        assertEquals("over", ending.get());
    }

    @Test
    void neverMoreUnfinishedThanSlots() throws Exception {
        AtomicInteger unfinished = new AtomicInteger();
        AtomicInteger max = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int p = 0; p < 4; p++) {
            threads.add(new Thread(() -> {
                try {
                    for (int i = 0; i < 5_000; i++) {
                        queue.put(i);
                    }
                } catch (InterruptedException e) {
                    ending.set(e);
                }
            }));
        }
        List<Thread> consumers = new ArrayList<>();
        for (int c = 0; c < 3; c++) {
            consumers.add(new Thread(() -> {
                try {
                    for (Entry<Integer> entry = queue.take(); entry != null; entry = queue.take()) {
                        max.accumulateAndGet(unfinished.incrementAndGet(), Math::max);
                        done.incrementAndGet();
                        unfinished.decrementAndGet();
                        entry.close();
                    }
                } catch (InterruptedException e) {
                    ending.set(e);
                }
            }));
        }
        threads.forEach(Thread::start);
        consumers.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        queue.close();
        for (Thread thread : consumers) {
            thread.join();
        }
        assertEquals(20_000, done.get());
        assertTrue(max.get() <= 2, max::toString);
        assertNull(ending.get());
        Oracle.assertCapacity(2, limiter);
    }
}
