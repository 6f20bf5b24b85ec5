package dev.weir.verification.stress;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.Stress;
import dev.weir.testkit.VirtualTime;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Very many who wait: what they cost while they do, what remains of them, and that all of them get through. */
@Tag("proof")
class QueueWaitersTest {
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final int MANY = 100_000;
    private static final long MEGABYTE = 1 << 20;
    private static final long STORM = 100_000;

    private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - 5);
    private final ManagedLimiter limiter = Limiters.of("many", new Semaphore(1));
    private final Permit held = (Permit) limiter.tryAcquire();
    private final AdmissionQueue still = AdmissionQueue.builder("many", limiter, QueueSpec.of(10 * MANY))
            .ticker(time)
            .alarm(time::alarm)
            .executor(Runnable::run)
            .build();
    private final AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(10 * MANY));

    private static long used() {
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @Test
    void S16_aMillionTimedOutWaitersLeaveNothingBehind() {
        timeOut(MANY);
        long before = used();
        for (int batch = 0; batch < 10; batch++) {
            timeOut(MANY);
        }
        long more = used() - before;
        assertTrue(more <= MEGABYTE, () -> more + " bytes more");
        assertEquals(11 * MANY, still.snapshot().timedOut());
        held.close();
        Oracle.assertCapacity(1, limiter);
    }

    private void timeOut(int count) {
        for (int i = 0; i < count; i++) {
            still.acquireAsync(Request.ONE, Duration.ofMillis(1 + i % 1_000));
        }
        time.advance(Duration.ofSeconds(1));
        assertEquals(0, still.snapshot().length());
    }

    /** Ten times as many leave in about ten times the processor time: in a hundred times if each is looked for. */
    @Test
    void S16_aHundredThousandLeaveTheMiddleAtOnce() {
        leaveTheMiddle(MANY);
        long few = IntStream.range(0, 5)
                .mapToLong(i -> leaveTheMiddle(MANY / 10))
                .min()
                .orElseThrow();
        long many = leaveTheMiddle(MANY);
        assertTrue(many < 40 * few, () -> many + " ns, a tenth of them " + few + " ns");
        held.close();
        Oracle.assertCapacity(1, limiter);
    }

    /** The processor time it takes, and that of no other thread. */
    private long leaveTheMiddle(int count) {
        List<CompletableFuture<Decision>> line = IntStream.range(0, count + 2)
                .mapToObj(i -> still.acquireAsync(Request.ONE, i % 2 == 0 ? EVER : Duration.ofHours(1 + i % 100)))
                .toList();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadCpuTime();
        line.subList(1, count + 1).forEach(middle -> middle.cancel(false));
        long took = threads.getCurrentThreadCpuTime() - start;
        assertEquals(2, still.snapshot().length());
        line.get(0).cancel(false);
        line.get(count + 1).cancel(false);
        assertEquals(0, still.snapshot().length());
        return took;
    }

    @Test
    void S3_S12_aHundredThousandFuturesGetThrough() throws Exception {
        CountDownLatch through = new CountDownLatch(MANY);
        ExecutorService pool = Executors.newFixedThreadPool(2);
        AdmissionQueue pooled = AdmissionQueue.builder("many", limiter, QueueSpec.of(MANY))
                .executor(pool)
                .build();
        for (int i = 0; i < MANY; i++) {
            pooled.acquireAsync(Request.ONE, EVER).thenAccept(decision -> {
                ((Permit) decision).close();
                through.countDown();
            });
        }
        limiter.reconfigure(new Counter(1));
        held.close();
        assertTrue(through.await(2, TimeUnit.MINUTES), pooled.snapshot()::toString);
        pool.shutdown();
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void S3_S12_aHundredThousandVirtualThreadsGetThrough() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "virtual threads");
        AtomicInteger through = new AtomicInteger();
        var start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            threads.add((Thread) start.invoke(null, (Runnable) () -> {
                try {
                    ((Permit) queue.acquire(Request.ONE, EVER)).close();
                    through.incrementAndGet();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        await().until(() -> queue.snapshot().length() == MANY);
        held.close();
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(MANY, through.get());
        Oracle.assertCapacity(1, limiter);
    }

    @Test
    void S3_whatAppearsWhileAllWaitIsGrantedWithoutFurtherTraffic() {
        List<CompletableFuture<Decision>> line = IntStream.range(0, 100)
                .mapToObj(i -> queue.acquireAsync(Request.ONE, EVER))
                .toList();
        limiter.dial().setLimit(31);
        awaitDone(line, 30);
        limiter.reconfigure(new Semaphore(51));
        awaitDone(line, 50);
        limiter.reconfigure(new Counter(71));
        awaitDone(line, 70);
        queue.close();
        awaitDone(line, 100);
        line.subList(70, 100).forEach(refused -> assertInstanceOf(Rejection.class, refused.join()));
        line.subList(0, 70).forEach(granted -> ((Permit) granted.join()).close());
        held.close();
        Oracle.assertCapacity(71, limiter);
    }

    private static void awaitDone(List<CompletableFuture<Decision>> line, int count) {
        await().pollInterval(Duration.ofMillis(1))
                .until(() -> line.stream().filter(CompletableFuture::isDone).count() == count);
    }

    @Test
    void S17_aStormOfShortTimeOutsTakesWhatIsReleased() throws Exception {
        Stress.seconds(1, 20, 200).repeat(1, round -> storm());
    }

    private static void storm() throws Exception {
        int width = 64;
        ManagedLimiter wide = Limiters.of("storm", new Semaphore(width));
        AdmissionQueue storm = AdmissionQueue.before(wide, QueueSpec.of(1_000));
        List<Permit> all = IntStream.range(0, width)
                .mapToObj(i -> (Permit) wide.tryAcquire())
                .toList();
        AtomicInteger taken = new AtomicInteger();
        AtomicLong attempts = new AtomicLong();
        List<Thread> threads = IntStream.range(0, width)
                .mapToObj(i -> new Thread(() -> taken.addAndGet(takeOne(storm, attempts))))
                .toList();
        threads.forEach(Thread::start);
        await().atMost(Duration.ofMinutes(5)).until(() -> attempts.get() >= STORM);
        assertEquals(0, taken.get());
        all.forEach(Permit::close);
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(width, taken.get());
        assertEquals(0, storm.snapshot().length());
        wide.reconfigure(new Semaphore(2 * width));
        Oracle.assertCapacity(width, wide);
    }

    private static int takeOne(AdmissionQueue storm, AtomicLong attempts) {
        try {
            while (attempts.incrementAndGet() < 100 * STORM) {
                if (storm.acquire(Request.ONE, Duration.ofNanos(1_000)) instanceof Permit) {
                    return 1;
                }
            }
            return 0;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void S17_whoWaitsUsesNoProcessor() throws Exception {
        AtomicBoolean through = new AtomicBoolean();
        Thread waiter = new Thread(() -> {
            try {
                ((Permit) queue.acquire(Request.ONE, EVER)).close();
                through.set(true);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        waiter.start();
        await().until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long before = threads.getThreadCpuTime(waiter.getId());
        await().during(Duration.ofMillis(500)).until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
        long used = threads.getThreadCpuTime(waiter.getId()) - before;
        assertTrue(used < 5_000_000, () -> used + " ns");
        held.close();
        waiter.join();
        assertTrue(through.get());
        Oracle.assertCapacity(1, limiter);
    }
}
