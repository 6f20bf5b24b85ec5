package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.StrategyContract;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("property")
class FirstHitQuotaTest extends StrategyContract {
    @Override
    protected StrategySpec spec(long limit) {
        return new FirstHitQuota(limit, Duration.ofSeconds(1));
    }

    /** The span begins with a window, or inside one whose first permit is before the span. */
    @Override
    protected long maxWithin(long windowNanos, long limit) {
        long fromTheFirst = limit * ((windowNanos - 1) / period() + 1);
        long fromInside = windowNanos < 2 ? 0 : limit - 1 + limit * ((windowNanos - 2) / period() + 1);
        return Math.max(fromTheFirst, fromInside);
    }

    /** 3 in a window of 10 ns that opens with the first. */
    @Test
    void byHand() {
        Traffic traffic = new Traffic(new FirstHitQuota(3, Duration.ofNanos(10)));
        traffic.time.advance(100);
        assertTrue(traffic.ask(1)); // at 100: open until 110
        traffic.time.advance(9);
        assertTrue(traffic.ask(2)); // at 109, the last two
        assertEquals(1, traffic.waitFor(1));
        assertEquals(3, traffic.used());
        traffic.time.advance(1);
        assertTrue(traffic.ask(1)); // at 110, opens until 120
        assertEquals(4, traffic.used()); // and the 3 before, which a steady rate would not have refilled yet
        assertEquals(10, traffic.waitFor(3));
        assertEquals(-1, traffic.waitFor(4));
        traffic.time.advance(10);
        assertEquals(3, traffic.take(9));
    }

    /** A naive form renews the expiry at each click, so a user who goes on clicking is refused for ever. */
    @Test
    void aRefusedRequestDoesNotExtendTheWindow() {
        Traffic traffic = new Traffic(new FirstHitQuota(10, Duration.ofMinutes(1)));
        assertEquals(10, traffic.take(10));
        for (int second = 0; second < 59; second++) {
            traffic.time.advance(Duration.ofSeconds(1));
            assertFalse(traffic.ask(1), "at second " + second);
        }
        traffic.time.advance(Duration.ofSeconds(1));
        assertEquals(10, traffic.take(99));
    }

    /** Compared with the definition in its simplest form. */
    @Test
    void R1_grantsExactlyWhatTheDefinitionGrants() {
        Traffic.forAll(200, random -> {
            long limit = random.nextLong(1, 20);
            long window = random.nextLong(1, 100);
            Traffic traffic = new Traffic(new FirstHitQuota(limit, Duration.ofNanos(window)), random.nextLong());
            long now = 0;
            long end = 0;
            long left = 0;
            for (int step = 0; step < 500; step++) {
                long asked = random.nextLong(1, limit + 1);
                if (now >= end) {
                    left = limit;
                }
                boolean expected = asked <= left;
                if (expected) {
                    end = left == limit ? now + window : end;
                    left -= asked;
                }
                assertEquals(expected, traffic.ask(asked));
                long pause = random.nextInt(3) == 0 ? random.nextLong(2 * window) : random.nextLong(3);
                traffic.time.advance(pause);
                now += pause;
            }
        });
    }

    @Test
    void R6_aRefundCountsInTheWindowItWasGrantedInAndLeavesItOpenForOthers() {
        Traffic traffic = new Traffic(new FirstHitQuota(3, Duration.ofNanos(10)));
        long at = traffic.time.read();
        assertEquals(3, traffic.take(9));
        traffic.strategy.refund(Request.of(2), at);
        assertEquals(2, traffic.take(9));
        traffic.time.advance(10);
        assertEquals(3, traffic.take(9));
        traffic.strategy.refund(Request.of(2), at);
        assertEquals(0, traffic.take(9));
    }

    @Test
    void W5_aChangeLeavesUsedWhatWasUsed() {
        Traffic traffic = new Traffic(new FirstHitQuota(10, Duration.ofSeconds(1)));
        assertEquals(8, traffic.take(8));
        traffic.strategy.setLimit(5);
        assertEquals(0, traffic.take(9));
        traffic.strategy.setLimit(10);
        assertEquals(2, traffic.take(9));
    }
}
