package dev.weir.verification.composition;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Stress;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Threads ask while another one alternates algorithms, and time stands still: no more than one burst is granted. */
@Tag("proof")
class AlternationStressTest {
    private static final Duration PERIOD = Duration.ofHours(1);
    private static final int THREADS = 3;
    private static final int ASKS = 200;

    /* All of them grant 3 to 10 permits at one instant. */
    private static final List<StrategySpec> RATES = List.of(
            TokenBucket.of(3, PERIOD),
            TokenBucket.of(10, PERIOD),
            new LeakyBucket(5, PERIOD, 9),
            Gcra.of(10, PERIOD),
            Pacer.of(10, PERIOD).withLargest(10),
            FixedWindow.of(10, PERIOD),
            SlidingWindow.of(10, PERIOD),
            SlidingLog.of(10, PERIOD),
            new FirstHitQuota(10, PERIOD));

    @Test
    void W5_threadsThatAskWhileAlgorithmsAlternateGetOneBurst() throws Exception {
        Stress.seconds(2, 30, 300).repeat(3, round -> {
            for (StrategySpec one : RATES) {
                for (StrategySpec other : RATES) {
                    long granted = one == other ? 0 : granted(one, other);
                    assertTrue(granted <= 10, () -> granted + " permits at one instant by " + one + " and " + other);
                }
            }
        });
    }

    private static long granted(StrategySpec one, StrategySpec other) throws Exception {
        ManagedLimiter limiter =
                Limiters.builder("l", one).ticker(new VirtualTime()).build();
        AtomicLong granted = new AtomicLong();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        CyclicBarrier start = new CyclicBarrier(THREADS + 1);
        Thread[] askers = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            askers[i] = new Thread(() -> {
                try {
                    start.await();
                    for (int ask = 0; ask < ASKS; ask++) {
                        granted.addAndGet(limiter.tryAcquire(Request.ONE) instanceof Permit ? 1 : 0);
                    }
                } catch (Throwable t) {
                    thrown.set(t);
                }
            });
            askers[i].start();
        }
        start.await();
        for (int change = 0; change < 20; change++) {
            limiter.reconfigure(change % 2 == 0 ? other : one);
        }
        for (Thread asker : askers) {
            asker.join();
        }
        assertNull(thrown.get());
        return granted.get();
    }
}
