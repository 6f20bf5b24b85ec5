package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Strategy;
import dev.weir.testkit.Oracle;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Counters that count requests: rejections and threads leave nothing counted, and a broken twin whose permits are lost is found. */
class CounterPitfallsTest {
    private static final int LIMIT = 2;

    /** Increments, then checks; a refused request does not decrement. */
    private static final class UpAndNeverDown implements Strategy {
        private final AtomicLong count = new AtomicLong();

        @Override
        public long acquire(Request request) {
            return count.incrementAndGet() > LIMIT ? UNTIL_RELEASE : GRANTED;
        }

        @Override
        public void release(Request request, Outcome outcome) {
            count.decrementAndGet();
        }

        @Override
        public long limit() {
            return LIMIT;
        }

        @Override
        public void setLimit(long limit) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void S2_brokenTwin_aRefusedRequestStaysCounted() {
        ManagedLimiter broken = Limiters.of("broken", ticker -> new UpAndNeverDown());
        fillRefuseAndDrain(broken);
        assertInstanceOf(
                Rejection.class, broken.tryAcquire(), "3 counted, 2 of them released: 1 left, and 1 more is 2");
        assertThrows(AssertionError.class, () -> Oracle.assertCapacity(LIMIT, broken));
    }

    @Test
    void S2_theCounterIsUnchangedAfterRejections() {
        for (ManagedLimiter ours : ours()) {
            fillRefuseAndDrain(ours);
            Oracle.assertCapacity(LIMIT, ours);
        }
    }

    private static void fillRefuseAndDrain(ManagedLimiter limiter) {
        List<Permit> out = Stream.generate(limiter::tryAcquire)
                .limit(LIMIT)
                .map(Permit.class::cast)
                .toList();
        for (int i = 0; i < LIMIT; i++) {
            assertInstanceOf(Rejection.class, limiter.tryAcquire());
        }
        out.forEach(Permit::close);
    }

    @Test
    void S1_S2_theCounterNeverGrantsMoreWithThreads() throws Exception {
        for (ManagedLimiter ours : ours()) {
            long max = max(ours, 20_000);
            assertTrue(max <= LIMIT, () -> max + " inside at once");
            Oracle.assertCapacity(LIMIT, ours);
        }
    }

    private static List<ManagedLimiter> ours() {
        return List.of(Limiters.of("counter", new Counter(LIMIT)), Limiters.of("semaphore", new Semaphore(LIMIT)));
    }

    /** The most permits in flight at once, with one thread more than the limit. */
    private static long max(ManagedLimiter limiter, int times) throws InterruptedException {
        AtomicLong inside = new AtomicLong();
        AtomicLong max = new AtomicLong();
        CountDownLatch allTried = new CountDownLatch(LIMIT + 1);
        List<Thread> threads = Stream.generate(() -> new Thread(() -> {
                    for (int i = 0; i < times; i++) {
                        if (limiter.tryAcquire() instanceof Permit permit) {
                            max.accumulateAndGet(inside.incrementAndGet(), Math::max);
                            if (i == 0) {
                                allTried.countDown();
                                await(allTried);
                            }
                            inside.decrementAndGet();
                            permit.close();
                        } else if (i == 0) {
                            allTried.countDown();
                        }
                    }
                }))
                .limit(LIMIT + 1)
                .toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        return max.get();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
