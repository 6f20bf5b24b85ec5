package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.spi.StrategySpec;
import java.math.BigInteger;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("property")
class SlidingWindowTest extends SlidingContract {
    @Override
    protected StrategySpec spec(long limit) {
        return SlidingWindow.of(limit, SECOND);
    }

    @Override
    StrategySpec nanos(long limit, long period, SplittableRandom random) {
        return nanos(limit, period, random.nextInt(1, 40));
    }

    @Override
    long delay() {
        return 100_000_000;
    }

    private static SlidingWindow nanos(long limit, long period, int blocks) {
        return new SlidingWindow(limit, Duration.ofNanos(period), blocks);
    }

    /** 5 in 30 ns by blocks of 10 ns, the present one and three before it. */
    @Test
    void byHand() {
        Traffic traffic = new Traffic(nanos(5, 30, 3));
        traffic.time.advance(5);
        assertTrue(traffic.ask(2)); // in [0, 10): free again at 40
        traffic.time.advance(10);
        assertTrue(traffic.ask(2)); // at 15, in [10, 20): free again at 50
        traffic.time.advance(1);
        assertEquals(24, traffic.waitFor(2)); // at 16: 1 left; two at 40
        assertEquals(34, traffic.waitFor(4)); // four at 50
        assertTrue(traffic.ask(1)); // 5 used
        assertEquals(24, traffic.waitFor(1));
        traffic.time.advance(23);
        assertEquals(1, traffic.waitFor(1)); // at 39: the window [9, 39] might hold all five
        traffic.time.advance(1);
        assertEquals(2, traffic.take(9)); // at 40
        assertEquals(10, traffic.waitFor(3)); // at 50: 3 are free again
        assertEquals(40, traffic.waitFor(5)); // at 80, when [40, 50) is dropped
        assertEquals(2, traffic.used()); // 2 now, or 5 since 20, the 3 as late as possible, less 5 * 20 / 30
        assertEquals(-1, traffic.waitFor(6));
        traffic.time.advance(1_000);
        assertEquals(0, traffic.used());
        assertEquals(5, traffic.take(9));
    }

    /** 10 ns in 3 blocks are 4 ns each, so the blocks are never shorter than the period. */
    @Test
    void aPeriodThatDoesNotDivideIsRoundedUp() {
        Traffic traffic = new Traffic(nanos(1, 10, 3));
        assertTrue(traffic.ask());
        assertEquals(16, traffic.waitFor(1));
    }

    @Test
    void R1_theLimitInAnyWindowAndAtLeastTheLimitInOneBlockMore() {
        Traffic.forAll(300, random -> {
            long limit = random.nextLong(1, 20);
            long period = random.nextBoolean() ? random.nextLong(1, 50) : random.nextLong(1, 999_999_937L);
            int blocks = random.nextInt(1, 30);
            Traffic traffic = new Traffic(nanos(limit, period, blocks), random.nextLong());
            traffic.random(random, 500, limit, 2 * period);
            traffic.assertBound(
                    period,
                    window -> BigInteger.valueOf(limit).multiply(BigInteger.valueOf((window - 1) / period + 1)));
            long late = (blocks + 1) * Rate.interval(blocks, period);
            for (int i = 0; i < 100; i++) {
                long from = traffic.time.read();
                traffic.take(100);
                long granted = 0;
                for (long wait = traffic.waitFor(1); traffic.time.read() + wait - from <= late; ) {
                    traffic.time.advance(wait);
                    granted += traffic.take(100);
                    wait = traffic.waitFor(1);
                }
                assertEquals(limit, granted, "saturated, in a period and a block");
                traffic.time.advance(random.nextLong(period));
            }
        });
    }

    @Test
    void R3_R4_extremes() {
        Clocks.extremes(period -> nanos(Check.MAX_PERMITS, period, 10_000));
        Clocks.extremes(period -> nanos(1, period, 1));
    }

    @Test
    void R3_argumentsAreCheckedByName() {
        TokenBucketTest.assertRefused("limit", () -> SlidingWindow.of(Check.MAX_PERMITS + 1, SECOND));
        TokenBucketTest.assertRefused("period", () -> SlidingWindow.of(1, Duration.ZERO));
        TokenBucketTest.assertRefused(
                "blocks", () -> SlidingWindow.of(1, SECOND).withBlocks(0));
        TokenBucketTest.assertRefused(
                "blocks", () -> SlidingWindow.of(1, SECOND).withBlocks(10_001));
    }

    @Test
    void R6_aDroppedBlockIsNotRefunded() {
        Traffic traffic = new Traffic(SlidingWindow.of(10, SECOND));
        long then = traffic.time.read();
        traffic.take(10);
        traffic.time.advance(1_100_000_000);
        assertEquals(10, traffic.take(100));
        traffic.strategy.refund(Request.of(10), then);
        assertEquals(0, traffic.take(100));
    }
}
