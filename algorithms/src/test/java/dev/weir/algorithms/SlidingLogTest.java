package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Oracle;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("property")
class SlidingLogTest extends SlidingContract {
    @Override
    protected StrategySpec spec(long limit) {
        return SlidingLog.of(limit, SECOND);
    }

    @Override
    StrategySpec nanos(long limit, long period, SplittableRandom random) {
        return SlidingLog.of(limit, Duration.ofNanos(period));
    }

    @Override
    long delay() {
        return 0;
    }

    /** 3 in 10 ns. */
    @Test
    void byHand() {
        Traffic traffic = new Traffic(SlidingLog.of(3, Duration.ofNanos(10)));
        assertTrue(traffic.ask(1)); // at 0, free again at 10
        traffic.time.advance(4);
        assertTrue(traffic.ask(2)); // at 4, free again at 14
        assertEquals(6, traffic.waitFor(1));
        assertEquals(10, traffic.waitFor(2));
        assertEquals(2, traffic.used()); // 3 since 0, less the 1 that a steady rate would have refilled
        traffic.time.advance(5);
        assertEquals(1, traffic.waitFor(1)); // at 9: [0, 9] still holds three
        traffic.time.advance(1);
        assertEquals(1, traffic.take(9)); // at 10
        assertEquals(4, traffic.waitFor(1));
        assertEquals(10, traffic.waitFor(3));
        assertEquals(-1, traffic.waitFor(4));
        traffic.time.advance(100);
        assertEquals(3, traffic.take(9));
    }

    /** Compared with a naive log: every permit on its own, in a queue. */
    @Test
    void R1_grantsExactlyWhatTheDefinitionGrants() {
        Traffic.forAll(200, random -> {
            long limit = random.nextLong(1, 60);
            long period = random.nextLong(1, 200);
            Traffic traffic = new Traffic(SlidingLog.of(limit, Duration.ofNanos(period)), random.nextLong());
            ArrayDeque<Long> naive = new ArrayDeque<>();
            long now = 0;
            for (int step = 0; step < 1_000; step++) {
                while (!naive.isEmpty() && now - naive.peek() >= period) {
                    naive.poll();
                }
                long permits = random.nextInt(4) == 0 ? random.nextLong(1, limit + 1) : 1;
                boolean fits = naive.size() + permits <= limit;
                assertEquals(fits, traffic.ask(permits));
                for (long i = fits ? permits : 0; i > 0; i--) {
                    naive.add(now);
                }
                long pause = random.nextInt(3) == 0 ? random.nextLong(2 * period) : random.nextLong(3);
                traffic.time.advance(pause);
                now += pause;
            }
            Oracle.assertWindow(traffic.grants, period, limit);
        });
    }

    @Test
    void R3_R4_extremes() {
        Clocks.extremes(period -> SlidingLog.of(1 << 20, Duration.ofNanos(period)));
        Clocks.extremes(period -> SlidingLog.of(1, Duration.ofNanos(period)));
    }

    /** Repeated grants and refunds need no more entries than the limit: no entry is left empty. */
    @Test
    void S16_refundsLeaveNothingBehind() {
        Traffic traffic = new Traffic(SlidingLog.of(3, Duration.ofDays(365)));
        Strategy strategy = traffic.strategy;
        for (int i = 0; i < 100_000; i++) {
            long then = traffic.time.read();
            assertEquals(Strategy.GRANTED, strategy.acquire(Request.of(2)));
            traffic.time.advance(1);
            strategy.refund(Request.of(2), then);
        }
        assertEquals(3, traffic.take(100));
    }

    /** A full log of 2^20 entries: a linear search for each of these rejections would take half an hour. */
    @Test
    void S14_aLargeRequestIsRefusedWithoutALinearSearch() {
        Traffic traffic = new Traffic(SlidingLog.of(1 << 20, Duration.ofDays(1)));
        Strategy strategy = traffic.strategy;
        for (int i = 0; i < 1 << 20; i++) {
            assertEquals(Strategy.GRANTED, strategy.acquire(Request.ONE));
            traffic.time.advance(1);
        }
        for (int i = 0; i < 1_000_000; i++) {
            assertTrue(strategy.acquire(Request.of(1 << 20)) > 0);
            assertEquals(Strategy.NEVER, strategy.acquire(Request.of((1 << 20) + 1)));
        }
    }

    /** Of three grants, those since the request are refunded, so nothing used earlier counts as used later. */
    @Test
    void R6_theOldestSinceTheRequestIsRefunded() {
        Traffic traffic = new Traffic(SlidingLog.of(3, Duration.ofNanos(100)));
        assertTrue(traffic.ask()); // at 0
        traffic.time.advance(50);
        long asked = traffic.time.read();
        traffic.time.advance(10);
        assertTrue(traffic.ask(2)); // at 60
        traffic.strategy.refund(Request.of(2), asked);
        assertEquals(2, traffic.take(9)); // at 60
        assertEquals(40, traffic.waitFor(1)); // at 100 the permit of 0 is free again
        assertEquals(100, traffic.waitFor(3));
    }

    @Test
    void R3_argumentsAreCheckedByName() {
        TokenBucketTest.assertRefused("limit", () -> SlidingLog.of((1 << 20) + 1, SECOND));
        TokenBucketTest.assertRefused("period", () -> SlidingLog.of(1, Duration.ZERO));
    }
}
