package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.TokenBucket.Refill;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.StrategyContract;
import java.math.BigInteger;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("property")
class GcraTest extends StrategyContract {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @Override
    protected StrategySpec spec(long limit) {
        return Gcra.of(limit, SECOND);
    }

    @Override
    protected long maxWithin(long windowNanos, long limit) {
        long distance = Rate.interval(limit, period());
        return 1 + (windowNanos - 1 + period() - distance) / distance;
    }

    /** T = 10 ns, tolerance 15 ns; beside each line max(t, TAT) before, and t + 15. */
    @Test
    void byHand() {
        Traffic traffic = new Traffic(Gcra.every(Duration.ofNanos(10), Duration.ofNanos(15)));
        assertTrue(traffic.ask(1)); // 0 <= 15, TAT 10
        assertTrue(traffic.ask(1)); // 10 <= 15, TAT 20
        assertEquals(5, traffic.waitFor(1)); // 20 > 15
        traffic.time.advance(5);
        assertTrue(traffic.ask(1)); // 20 <= 20, TAT 30
        assertEquals(20, traffic.waitFor(2)); // 30 + 10 > 20: at 25
        traffic.time.advance(15); // at 20
        assertEquals(5, traffic.waitFor(2)); // 30 + 10 > 35
        assertTrue(traffic.ask(1)); // 30 <= 35, TAT 40
        traffic.time.advance(80); // at 100
        assertTrue(traffic.ask(2)); // 100 + 10 <= 115, TAT 120
        assertEquals(2, traffic.used()); // TAT - t = 20
        assertEquals(-1, traffic.waitFor(3)); // 3 at once need a tolerance of 20
    }

    /** Compared with the definition. */
    @Test
    void R1_grantsWhatVirtualSchedulingGrants() {
        Traffic.forAll(300, random -> {
            long interval = random.nextLong(1, 1_000);
            long tolerance = random.nextLong(0, 5_000);
            long largest = 1 + tolerance / interval;
            Traffic traffic =
                    new Traffic(Gcra.every(Duration.ofNanos(interval), Duration.ofNanos(tolerance)), random.nextLong());
            long start = traffic.time.read();
            long due = 0;
            for (int step = 0; step < 500; step++) {
                long now = traffic.time.read() - start;
                long permits = random.nextLong(1, largest + 1);
                long from = Math.max(now, due);
                long early = from + (permits - 1) * interval - tolerance - now;
                assertEquals(Math.max(0, early), traffic.waitFor(permits));
                due = early <= 0 ? from + permits * interval : due;
                traffic.time.advance(random.nextInt(3) == 0 ? Math.max(0, early) : random.nextLong(2 * interval));
            }
            traffic.assertBound(interval, window -> BigInteger.valueOf(1 + (window - 1 + tolerance) / interval));
        });
    }

    /** Tolerance of 4 intervals: a bucket of 5. */
    @Test
    void isTheTokenBucketOfOneMoreThanTheToleranceHoldsIntervals() {
        Traffic.forAll(100, random -> {
            Traffic traffic = new Traffic(Gcra.every(Duration.ofNanos(10), Duration.ofNanos(40)));
            Strategy bucket = new TokenBucket(1, Duration.ofNanos(10), 5, 5, Refill.GREEDY).create(traffic.time);
            for (int step = 0; step < 300; step++) {
                long permits = random.nextLong(1, 7);
                assertEquals(bucket.acquire(dev.weir.Request.of(permits)), traffic.waitFor(permits));
                traffic.time.advance(random.nextLong(20));
            }
        });
    }

    /** Ten at once; at 5 per second T doubles and the tolerance stays 900 ms: 1 + 900 / 200 = 5 at once. */
    @Test
    void theDialChangesTheIntervalAndKeepsTheTolerance() {
        Traffic traffic = new Traffic(Gcra.of(10, SECOND));
        traffic.strategy.setLimit(5);
        assertEquals(5, traffic.take(100));
        assertEquals(100_000_000, traffic.waitFor(1)); // TAT 1,000 ms, tolerance 900 ms
    }

    @Test
    void R3_argumentsAreCheckedByName() {
        TokenBucketTest.assertRefused("permits", () -> Gcra.of(0, SECOND));
        TokenBucketTest.assertRefused("period", () -> Gcra.of(1, Duration.ZERO));
        TokenBucketTest.assertRefused("tolerance", () -> Gcra.every(SECOND, Duration.ofNanos(-1)));
        TokenBucketTest.assertRefused("tolerance", () -> Gcra.every(SECOND, Duration.ofDays(7_000)));
    }
}
