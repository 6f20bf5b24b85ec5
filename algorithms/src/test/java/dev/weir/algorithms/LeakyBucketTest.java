package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.spi.StrategySpec;
import dev.weir.testkit.StrategyContract;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("property")
class LeakyBucketTest extends StrategyContract {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long BURST = 29;

    @Override
    protected StrategySpec spec(long limit) {
        return LeakyBucket.of(limit, SECOND).withBurst(BURST);
    }

    @Override
    protected long maxWithin(long windowNanos, long limit) {
        return BURST + 1 + windowNanos * limit / 1_000_000_000L;
    }

    /** 1 in 10 ns, burst 2: the first is free and two fit beside it. */
    @Test
    void byHand() {
        Traffic traffic = new Traffic(new LeakyBucket(1, Duration.ofNanos(10), 2));
        assertEquals(3, traffic.take(9)); // level 3 of 3
        assertEquals(10, traffic.waitFor(1));
        assertEquals(30, traffic.waitFor(3));
        assertEquals(-1, traffic.waitFor(4));
        traffic.time.advance(15); // level 1.5
        assertTrue(traffic.ask(1)); // 2.5
        assertEquals(5, traffic.waitFor(1));
        traffic.time.advance(25); // level 0
        assertTrue(traffic.ask(3));
        assertEquals(3, traffic.used());
    }

    /** Without a burst, nginx grants the first and then one per interval. */
    @Test
    void withoutABurstGrantsAreAnIntervalApart() {
        Traffic traffic = new Traffic(LeakyBucket.of(10, SECOND));
        for (int i = 0; i < 20; i++) {
            traffic.askExactly(1);
            assertEquals(0, traffic.take(9));
            assertEquals(i * 100_000_000L, traffic.grants.get(i).at());
        }
    }

    @Test
    void R1_theBoundIsBurstPlusOnePlusRate() {
        Traffic.forAll(200, random -> {
            long permits = random.nextLong(1, 1_000_000_007L);
            long period = random.nextLong(1, 999_999_937L);
            long burst = random.nextLong(0, 50);
            Traffic traffic = new Traffic(new LeakyBucket(permits, Duration.ofNanos(period), burst), random.nextLong());
            long unit = Math.max(1, period / permits);
            traffic.random(random, 500, burst + 1, 3 * unit);
            traffic.assertBound(unit, window -> Traffic.bound(burst + 1, window, permits, period));
        });
    }

    @Test
    void R3_argumentsAreCheckedByName() {
        TokenBucketTest.assertRefused("permits", () -> LeakyBucket.of(0, SECOND));
        TokenBucketTest.assertRefused("period", () -> LeakyBucket.of(1, Duration.ZERO));
        TokenBucketTest.assertRefused("burst", () -> LeakyBucket.of(1, SECOND).withBurst(-1));
        TokenBucketTest.assertRefused("burst", () -> LeakyBucket.of(1, SECOND).withBurst(Check.MAX_PERMITS));
    }
}
