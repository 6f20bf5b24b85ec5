package dev.weir.keyed;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Gcra;
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
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("proof")
class EvictionRacesTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int REQUESTS = 20_000;
    private static final int RELOADS = 20;
    private static final TokenBucket TEN = TokenBucket.of(10, SECOND);

    /** Time stands still, so nothing refills: each key is granted ten in all. */
    static List<List<StrategySpec>> reloads() {
        return List.of(
                List.of(TEN),
                List.of(TEN, TEN.withCapacity(9)),
                List.of(TEN, FixedWindow.of(10, SECOND), SlidingLog.of(10, SECOND)),
                List.of(new FirstHitQuota(10, SECOND), SlidingWindow.of(9, SECOND), Gcra.of(10, SECOND)),
                List.of(AllOf.of(TEN, SlidingLog.of(10, SECOND)), SlidingLog.of(10, SECOND)));
    }

    @ParameterizedTest
    @MethodSource("reloads")
    void K1_threadsUnderEvictionGetExactlyTheBound(List<StrategySpec> reloads) throws Exception {
        Stress.seconds(0.8, 12, 120).repeat(1, round -> race(reloads, round));
    }

    private static void race(List<StrategySpec> reloads, int round) throws Exception {
        int keys = 2_000;
        ManagedLimiter limiter = Limiters.builder(
                        "race", Keyed.of(reloads.get(0), 8).withDebtCells(1 << 17))
                .ticker(new VirtualTime())
                .build();
        AtomicIntegerArray admitted = new AtomicIntegerArray(keys);
        Threads.inParallel(4, thread -> {
            SplittableRandom random = new SplittableRandom(2 * round + thread / 2);
            for (int i = 0; i < REQUESTS; i++) {
                int key = (i / (REQUESTS / keys) + random.nextInt(12)) % keys;
                if (limiter.tryAcquire(Request.forKey("key" + key)) instanceof Permit) {
                    admitted.incrementAndGet(key);
                }
                if (thread == 0 && i % (REQUESTS / RELOADS) == 0) {
                    StrategySpec next = reloads.get(i / (REQUESTS / RELOADS) % reloads.size());
                    limiter.reconfigure(Keyed.of(next, 8).withDebtCells(1 << 17));
                }
            }
        });
        long sum = 0;
        for (int key = 0; key < keys; key++) {
            int got = admitted.get(key);
            sum += got;
            int which = key;
            assertTrue(got <= 10, () -> "key" + which + " was admitted " + got + " times");
        }
        long all = sum;
        assertTrue(all > keys * 8L, () -> "the keys are served: " + all);
    }
}
