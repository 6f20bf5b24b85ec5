package dev.weir.executor;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Phaser;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Threads and queue of a pool, resized under load. */
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
        assertTrue(pool.awaitTermination(2, TimeUnit.MINUTES));
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
        assertEquals(3, running.get(), "no thread is interrupted");
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
    void withoutAQueueAnIdleWorkerGetsTheNext() throws Exception {
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

    @Test
    void theLargestCapacityTakesWhileWorkersAreIdle() throws Exception {
        ResizableThreadPool wide = ResizableThreadPool.fixed(2, Integer.MAX_VALUE);
        try {
            for (int i = 0; i < 1_000; i++) {
                assertEquals("done", wide.submit(() -> "done").get());
            }
        } finally {
            wide.shutdownNow();
        }
    }

    /* A worker that had taken a task counted for a moment as one that waits, and a second task queued behind it. */
    @Test
    void whereNoneWaitsNoTaskQueuesBehindABusyWorker() throws Exception {
        ResizableQueue direct = new ResizableQueue(0);
        AtomicInteger begun = new AtomicInteger();
        int rounds = 20_000;
        CyclicBarrier round = new CyclicBarrier(2);
        Thread worker = new Thread(() -> {
            try {
                for (int i = 0; i < rounds; i++) {
                    direct.take();
                    begun.incrementAndGet();
                    round.await();
                }
            } catch (InterruptedException | BrokenBarrierException e) {
                assertEquals(rounds, begun.get(), "queued behind a busy worker");
            }
        });
        worker.setDaemon(true);
        worker.start();
        for (int i = 0; i < rounds; i++) {
            int taken = 0;
            while (begun.get() == i) {
                taken += direct.offer(() -> {}) ? 1 : 0;
            }
            assertEquals(1, taken, "in round " + i);
            round.await();
        }
        worker.join();
    }

    @Test
    void threadsBeyondTheCoreEndAfterTheKeepAlive() {
        ResizableThreadPool scaling = ResizableThreadPool.of(0, 3, 0, Executors.defaultThreadFactory());
        try {
            assertEquals(Duration.ofMinutes(1), scaling.keepAlive());
            scaling.setKeepAlive(Duration.ZERO);
            scaling.execute(() -> {});
            await().until(() -> scaling.threads() == 0);
            assertThrows(IllegalArgumentException.class, () -> scaling.setKeepAlive(Duration.ofNanos(-1)));
            assertEquals(Duration.ZERO, scaling.keepAlive());
            scaling.setKeepAlive(Duration.ofSeconds(Long.MAX_VALUE));
            assertEquals(Duration.ofNanos(Long.MAX_VALUE), scaling.keepAlive());
        } finally {
            scaling.shutdownNow();
        }
    }

    @Test
    void aFactoryThatFailsDoesWhatItDoesInAThreadPoolExecutor() {
        RuntimeException made = new IllegalStateException("made up");
        ThreadFactory none = run -> null;
        ThreadFactory throwing = run -> {
            throw made;
        };
        for (ThreadFactory factory : List.of(none, throwing)) {
            for (int capacity : new int[] {0, 1}) {
                ResizableThreadPool ours = ResizableThreadPool.of(1, 2, capacity, factory);
                ThreadPoolExecutor theirs = new ThreadPoolExecutor(
                        1,
                        2,
                        1,
                        TimeUnit.MINUTES,
                        capacity == 0 ? new SynchronousQueue<>() : new ArrayBlockingQueue<>(capacity),
                        factory);
                for (int i = 0; i < 3; i++) {
                    assertEquals(thrownBy(theirs), thrownBy(ours));
                    assertEquals(theirs.getQueue().size(), ours.queued());
                    assertEquals(0, ours.threads());
                }
                assertEquals(theirs.shutdownNow().size(), ours.shutdownNow().size());
            }
        }
    }

    private static @Nullable Class<?> thrownBy(ExecutorService executor) {
        try {
            executor.execute(() -> {});
            return null;
        } catch (RuntimeException e) {
            return e.getClass();
        }
    }

    @Test
    void aFactoryThatFailsNowAndThenLosesNoTask() throws Exception {
        AtomicInteger threads = new AtomicInteger();
        ResizableThreadPool failing =
                ResizableThreadPool.of(3, 3, 200, run -> threads.incrementAndGet() == 1 ? new Thread(run) : null);
        CountDownLatch done = new CountDownLatch(100);
        for (int i = 0; i < 100; i++) {
            failing.execute(done::countDown);
        }
        done.await();
        failing.shutdown();
        assertTrue(failing.awaitTermination(2, TimeUnit.MINUTES));
    }
}
