package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.StrategyContract;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("property")
class FixedWindowTest extends StrategyContract {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @Override
    protected StrategySpec spec(long limit) {
        return FixedWindow.of(limit, SECOND);
    }

    @Override
    protected long maxWithin(long windowNanos, long limit) {
        return bound(windowNanos, limit, period());
    }

    private static long bound(long window, long limit, long period) {
        return window < 2 ? limit : limit * ((window - 2) / period + 2);
    }

    /** 3 in 10 ns: windows are [0, 10), [10, 20), ... */
    @Test
    void byHand() {
        Traffic traffic = new Traffic(FixedWindow.of(3, Duration.ofNanos(10)));
        assertTrue(traffic.ask(2));
        traffic.time.advance(4);
        assertEquals(6, traffic.waitFor(2)); // 1 left; at 10
        assertTrue(traffic.ask(1));
        traffic.time.advance(5);
        assertEquals(1, traffic.waitFor(1)); // at 9
        traffic.time.advance(1);
        assertEquals(3, traffic.take(9)); // at 10: a new window, nothing carried over
        traffic.time.advance(37); // at 47, in [40, 50)
        assertEquals(3, traffic.take(9));
        assertEquals(3, traffic.waitFor(3));
        assertEquals(-1, traffic.waitFor(4));
    }

    /** As documented: a span may include the end of one window and the start of the next. */
    @Test
    void R1_twiceTheLimitAcrossABoundaryAndNoMore() {
        Traffic traffic = new Traffic(FixedWindow.of(10, SECOND));
        traffic.time.advance(period() - 1);
        assertEquals(10, traffic.take(100));
        traffic.time.advance(1);
        assertEquals(10, traffic.take(100));
        traffic.time.advance(period() - 1);
        assertEquals(0, traffic.take(100));
    }

    @Test
    void R1_theLimitInEachWindowAndTheBoundInAny() {
        Traffic.forAll(200, random -> {
            long limit = random.nextLong(1, 20);
            long period = 1 + random.nextLong(1_000_000);
            Traffic traffic = new Traffic(FixedWindow.of(limit, Duration.ofNanos(period)), random.nextLong());
            traffic.random(random, 500, limit, 2 * period);
            traffic.assertBound(period, window -> BigInteger.valueOf(bound(window, limit, period)));
            long[] inWindow = new long[1];
            long[] which = {-1};
            traffic.grants.forEach(grant -> {
                inWindow[0] = grant.at() / period == which[0] ? inWindow[0] + grant.permits() : grant.permits();
                which[0] = grant.at() / period;
                assertTrue(inWindow[0] <= limit, () -> inWindow[0] + " in one window of " + limit);
            });
        });
    }

    /** The clock says 12:00:47.5, so a minute's window ends in 12.5 s; that the clock is then set back changes nothing. */
    @Test
    void R4_anAlignedWindowBeginsWithTheMinuteAndKeepsTheBeat() {
        Instant[] wall = {Instant.parse("2026-03-01T12:00:47.500Z")};
        Traffic traffic = new Traffic(FixedWindow.aligned(2, Duration.ofMinutes(1), () -> wall[0]), Long.MAX_VALUE - 5);
        assertEquals(2, traffic.take(9));
        assertEquals(12_500_000_000L, traffic.waitFor(1));
        wall[0] = Instant.EPOCH;
        assertEquals(12_500_000_000L, traffic.waitFor(1));
        traffic.time.advance(12_500_000_000L);
        assertEquals(2, traffic.take(9));
        assertEquals(60_000_000_000L, traffic.waitFor(1));
    }

    @Test
    void R3_anyInstantCanBeAlignedTo() {
        for (Instant wall : new Instant[] {Instant.MIN, Instant.ofEpochSecond(-1, 5), Instant.EPOCH, Instant.MAX}) {
            for (Duration period : new Duration[] {Duration.ofNanos(1), Duration.ofDays(7), Duration.ofDays(26_000)}) {
                Traffic traffic = new Traffic(FixedWindow.aligned(1, period, InstantSource.fixed(wall)));
                assertTrue(traffic.ask());
                long wait = traffic.waitFor(1);
                assertTrue(wait > 0 && wait <= period.toNanos(), () -> wall + " " + period + " waits " + wait);
            }
        }
    }

    /** 8 of 10 used: 4 leaves none, 10 again leaves 2, 100 leaves 92; and the window still ends when it would have. */
    @Test
    void W5_whatWasUsedStaysUsedWhicheverWayTheLimitGoes() {
        Traffic traffic = new Traffic(FixedWindow.of(10, SECOND));
        traffic.time.advance(period() / 4);
        assertEquals(8, traffic.take(8));
        traffic.strategy.setLimit(4);
        assertEquals(period() * 3 / 4, traffic.waitFor(1));
        traffic.strategy.setLimit(10);
        assertEquals(2, traffic.take(100));
        Strategy before = traffic.strategy;
        traffic.change(FixedWindow.of(100, SECOND));
        assertSame(before, traffic.strategy);
        assertEquals(90, traffic.take(1_000));
        traffic.strategy.setLimit(4);
        traffic.time.advance(period() * 3 / 4);
        assertEquals(4, traffic.take(100), "a new window, whatever was used under the larger limit");
        assertEquals(period(), traffic.waitFor(1));
    }

    /**
     * 70 of 100 per minute used by 12:05:10, and 100 / 6 = 16 of the 100 before refilled at a steady rate: a debt of 154
     * of 1,000 per hour, one of which refills every 3.6 s.
     */
    @Test
    void W5_anotherPeriodStartsWithWhatHasNotRefilled() {
        Instant begin = Instant.parse("2026-03-01T12:00:00Z");
        Traffic traffic = new Traffic(FixedWindow.of(1, SECOND));
        InstantSource wall = () -> begin.plusNanos(traffic.time.read() - 1);
        traffic.change(FixedWindow.aligned(100, Duration.ofMinutes(1), wall));
        for (int minute = 0; minute < 5; minute++) {
            assertEquals(100, traffic.take(1_000));
            traffic.time.advance(Duration.ofMinutes(1));
        }
        assertEquals(70, traffic.take(70));
        traffic.time.advance(Duration.ofSeconds(10));
        traffic.change(FixedWindow.aligned(1_000, Duration.ofHours(1), wall));
        assertEquals(154, traffic.used());
        assertEquals(846, traffic.take(10_000));
        assertEquals(3_600_000_000L, traffic.waitFor(1));
    }

    @Test
    void R6_aRefundCountsInItsOwnWindowOnly() {
        Traffic traffic = new Traffic(FixedWindow.of(10, SECOND));
        long then = traffic.time.read();
        traffic.take(10);
        traffic.time.advance(period() - 1);
        traffic.strategy.refund(Request.of(4), then);
        assertEquals(4, traffic.take(100));
        traffic.time.advance(1);
        assertEquals(10, traffic.take(100));
        traffic.strategy.refund(Request.of(4), then);
        assertEquals(0, traffic.take(100));
    }

    @Test
    void R3_argumentsAreCheckedByName() {
        TokenBucketTest.assertRefused("limit", () -> FixedWindow.of(Check.MAX_PERMITS + 1, SECOND));
        TokenBucketTest.assertRefused("period", () -> FixedWindow.of(1, Duration.ZERO));
    }

    @Test
    void R4_aClockThatGoesBackAndForthOverABeatAddsNothing() {
        Traffic traffic = new Traffic(FixedWindow.of(10, Duration.ofSeconds(1)));
        long granted = traffic.take(99);
        for (int flap = 0; flap < 100; flap++) {
            traffic.time.jumpTo(traffic.time.read() - 1);
            granted += traffic.take(99);
            traffic.time.advance(1);
            granted += traffic.take(99);
        }
        assertEquals(10, granted);
    }
}
