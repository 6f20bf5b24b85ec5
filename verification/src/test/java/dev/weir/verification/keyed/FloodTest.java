package dev.weir.verification.keyed;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
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
import dev.weir.keyed.Keyed;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.Oracle.Grant;
import dev.weir.testkit.Stress;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys that are used once evict all others from a small table, for each algorithm. */
class FloodTest {
    private static final long KEYS = Stress.of(200_000L, 200_000L, 5_000_000L);
    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final long LIMIT = 100;
    private static final int PER_MILLISECOND = 20;
    private static final int REGULAR = 20;

    /**
     * One algorithm.
     *
     * @param bound the most in any window of this many nanoseconds
     * @param load of a well-behaved key, in per cent of the limit
     */
    record Case(String name, StrategySpec spec, LongUnaryOperator bound, int load) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static long refilled(long window) {
        return window * LIMIT / PERIOD.toNanos();
    }

    private static long periods(long window) {
        return (window + PERIOD.toNanos() - 1) / PERIOD.toNanos();
    }

    static Stream<Case> algorithms() {
        TokenBucket bucket = TokenBucket.of(LIMIT, PERIOD);
        TokenBucket interval = new TokenBucket(LIMIT, PERIOD, LIMIT, LIMIT, TokenBucket.Refill.INTERVAL);
        return Stream.of(
                new Case("TokenBucket", bucket, w -> LIMIT + refilled(w), 90),
                new Case("by interval", interval, w -> LIMIT + LIMIT * periods(w), 75),
                new Case("larger by interval", interval.withCapacity(250), w -> 250 + LIMIT * periods(w), 90),
                new Case("LeakyBucket", LeakyBucket.of(LIMIT, PERIOD).withBurst(49), w -> 50 + refilled(w), 90),
                new Case("Pacer", Pacer.of(LIMIT, PERIOD), w -> 3 + refilled(w), 20),
                new Case("Gcra", Gcra.of(LIMIT, PERIOD), w -> LIMIT + refilled(w), 90),
                new Case("FixedWindow", FixedWindow.of(LIMIT, PERIOD), w -> LIMIT * (periods(w) + 1), 75),
                new Case("FirstHitQuota", new FirstHitQuota(LIMIT, PERIOD), w -> LIMIT * (periods(w) + 1) - 1, 75),
                new Case("SlidingLog", SlidingLog.of(LIMIT, PERIOD), w -> LIMIT * periods(w), 75),
                new Case("SlidingWindow", SlidingWindow.of(LIMIT, PERIOD), w -> LIMIT * periods(w), 75),
                new Case(
                        "AllOf",
                        AllOf.of(bucket, SlidingLog.of(150, PERIOD.multipliedBy(2))),
                        w -> Math.min(LIMIT + refilled(w), 150 * ((periods(w) + 1) / 2)),
                        50));
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void K1_K3_anAttackerGetsTheBoundAndOtherKeysGetTheirShare(Case algorithm) {
        VirtualTime time = new VirtualTime(Long.MAX_VALUE - 5 * PERIOD.toNanos());
        ManagedLimiter limiter = Limiters.builder(
                        "flood", Keyed.of(algorithm.spec, 1).withDebtCells(1 << 18))
                .ticker(time)
                .build();
        List<Strategy> twins = Stream.generate(() -> algorithm.spec.create(time))
                .limit(REGULAR)
                .toList();
        SplittableRandom random = new SplittableRandom(1);
        List<Grant> attacker = new ArrayList<>();
        long regular = 0;
        long due = 0;
        long flood = 0;
        for (long ms = 0; flood < KEYS; ms++) {
            for (int i = 0; i < PER_MILLISECOND; i++) {
                limiter.tryAcquire(Request.forKey("flood" + flood++));
                for (int again = i % 5; again == 0 && admits(limiter, "attacker"); ) {
                    attacker.add(new Grant(ms * 1_000_000, 1));
                }
            }
            for (int key = 0; key < REGULAR; key++) {
                if (random.nextInt(100_000) < algorithm.load * LIMIT) {
                    regular += admits(limiter, "regular" + key) ? 1 : 0;
                    due += twins.get(key).acquire(Request.ONE) == Strategy.GRANTED ? 1 : 0;
                }
            }
            time.advance(1_000_000);
        }
        String figures = algorithm + ": attacker " + attacker.size() + ", regular " + regular + " of " + due + ", "
                + limiter.snapshot().details();
        System.out.println(figures);
        for (long window : new long[] {1, PERIOD.toNanos() / 10, PERIOD.toNanos(), 10 * PERIOD.toNanos()}) {
            Oracle.assertWindow(attacker, window, algorithm.bound.applyAsLong(window));
        }
        assertTrue(regular * 100 >= due * 99, figures);
    }

    private static boolean admits(ManagedLimiter limiter, String key) {
        return limiter.tryAcquire(Request.forKey(key)) instanceof Permit;
    }
}
