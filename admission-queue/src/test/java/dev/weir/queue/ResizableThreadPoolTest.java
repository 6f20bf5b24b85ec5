package dev.weir.queue;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Phaser;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads and queue of a pool, resized under load. */
@Timeout(60)
class ResizableThreadPoolTest {
    private final ResizableThreadPool pool = ResizableThreadPool.fixed(1, 2);
    private final CountDownLatch gate = new CountDownLatch(1);
    private final AtomicInteger running = new AtomicInteger();

    private void hold(int tasks) {
        for (int i = 0; i < tasks; i++) {
            pool.execute(() -> {
                running.incrementAndGet();
                try {
                    gate.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                running.decrementAndGet();
            });
        }
    }

    @AfterEach
    void noThreadIsLeft() throws InterruptedException {
        gate.countDown();
        pool.shutdown();
        assertTrue(pool.awaitTermination(10, TimeUnit.SECONDS));
    }

    @Test
    void aTaskBeyondThreadsAndQueueIsRefused() {
        hold(3);
        assertThrows(RejectedExecutionException.class, () -> hold(1));
        assertEquals(2, pool.queued());
    }

    @Test
    void moreThreadsTakeFromTheQueueAtOnce() {
        hold(3);
        pool.setLimit(3);
        await().until(() -> running.get() == 3);
        assertEquals(0, pool.queued());
        assertEquals(3, pool.limit());
    }

    @Test
    void fewerThreadsEndWhenTheyAreIdle() {
        pool.setLimit(3);
        hold(5);
        await().until(() -> running.get() == 3);
        pool.setLimit(1);
        assertEquals(3, running.get(), "nobody is interrupted");
        gate.countDown();
        await().until(() -> pool.threads() == 1);
    }

    @Test
    void aSmallerQueueKeepsWhatIsInIt() {
        hold(3);
        pool.resizeQueue(1);
        assertEquals(2, pool.queued());
        assertThrows(RejectedExecutionException.class, () -> hold(1));
        pool.resizeQueue(3);
        hold(1);
        assertEquals(3, pool.queued());
        assertEquals(3, pool.queueCapacity());
        gate.countDown();
        await().until(() -> pool.queued() == 0 && running.get() == 0);
    }

    @Test
    void theCoreIsNeverAboveTheMaximum() {
        ResizableThreadPool scaling = ResizableThreadPool.of(4, 8, 10, Executors.defaultThreadFactory());
        try {
            scaling.setLimit(2);
            scaling.setLimit(8);
            scaling.resize(8, 8);
            scaling.resize(0, 1);
            scaling.resize(3, 9);
            assertEquals(9, scaling.limit());
            assertThrows(IllegalArgumentException.class, () -> scaling.resize(3, 2));
            assertThrows(IllegalArgumentException.class, () -> scaling.setLimit(0));
            assertThrows(IllegalArgumentException.class, () -> scaling.setLimit(1L << 31));
            assertThrows(IllegalArgumentException.class, () -> scaling.resizeQueue(-1));
            assertThrows(IllegalArgumentException.class, () -> pool.resize(1, 2));
            assertEquals(9, scaling.limit());
        } finally {
            scaling.shutdownNow();
        }
    }

    @Test
    void theQueueIsNeverFullerThanItsBound() {
        hold(1);
        await().until(() -> running.get() == 1);
        for (int round = 0; round < 200; round++) {
            pool.resizeQueue(pool.queued() + 1);
            Phaser start = new Phaser(2);
            Thread other = new Thread(() -> offered(start));
            other.start();
            offered(start);
            assertTrue(join(other));
            assertEquals(pool.queueCapacity(), pool.queued());
        }
    }

    private void offered(Phaser start) {
        start.arriveAndAwaitAdvance();
        try {
            pool.execute(() -> {});
        } catch (RejectedExecutionException e) {
            assertTrue(pool.queued() >= pool.queueCapacity());
        }
    }

    private static boolean join(Thread thread) {
        try {
            thread.join();
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    @Test
    void resizingUnderLoadLosesNoTask() throws Exception {
        pool.resizeQueue(100_000);
        AtomicInteger done = new AtomicInteger();
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 20_000; i++) {
            pool.execute(done::incrementAndGet);
            if (i % 20 == 0) {
                pool.setLimit(1 + random.nextInt(6));
            }
        }
        await().until(() -> done.get() == 20_000);
    }

    @Test
    void whereNoneWaitsAnIdleWorkerIsHandedTheNext() throws Exception {
        ResizableThreadPool pool = ResizableThreadPool.fixed(1, 0);
        try {
            for (int i = 0; i < 10; i++) {
                int number = i;
                await().ignoreException(RejectedExecutionException.class)
                        .until(() -> pool.submit(() -> number).get(), is -> is == number);
            }
            CountDownLatch busy = new CountDownLatch(1);
            await().ignoreException(RejectedExecutionException.class).until(() -> {
                pool.execute(() -> {
                    try {
                        busy.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
                return true;
            });
            await().untilAsserted(() -> assertThrows(RejectedExecutionException.class, () -> pool.execute(() -> {})));
            busy.countDown();
        } finally {
            pool.shutdownNow();
        }
    }
}
