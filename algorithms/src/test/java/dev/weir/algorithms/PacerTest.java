package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Oracle.Grant;
import dev.weir.testkit.StrategyContract;
import dev.weir.testkit.VirtualTime;
import java.math.BigInteger;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("property")
class PacerTest extends StrategyContract {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long LARGEST = 10;

    @Override
    protected StrategySpec spec(long limit) {
        return Pacer.of(limit, SECOND).withLargest(LARGEST);
    }

    @Override
    protected long maxWithin(long windowNanos, long limit) {
        return (windowNanos - 1) / Rate.interval(limit, period()) + 1 + LARGEST;
    }

    @Override
    protected long gainByCancelling(int instants) {
        return instants;
    }

    /** 3 in 10 ns: T = 4 ns, rounded up. */
    @Test
    void byHand() {
        Traffic traffic = new Traffic(Pacer.of(3, Duration.ofNanos(10)).withLargest(3));
        assertEquals(1, traffic.take(9)); // slot 0
        assertEquals(4, traffic.waitFor(1)); // slot at 4
        assertEquals(4, traffic.waitFor(3)); // a large one waits no longer
        traffic.time.advance(4);
        assertTrue(traffic.ask(3)); // slots at 4, 8 and 12
        assertEquals(12, traffic.waitFor(1)); // slot at 16
        traffic.time.advance(11);
        assertEquals(1, traffic.waitFor(1));
        traffic.time.advance(22); // at 37: slots at 16 ... 36 have passed unused
        assertEquals(1, traffic.take(9));
        assertEquals(4, traffic.waitFor(1)); // at 41: T after the one at 37, not on a grid
        traffic.time.advance(7); // at 44: the slot at 41 is 3 late, less than T
        assertEquals(1, traffic.take(9));
        assertEquals(1, traffic.waitFor(1)); // at 45, as if the former had been taken on time
        traffic.time.advance(5); // at 49: the slot at 45 is 4 late, and lost
        assertEquals(1, traffic.take(9));
        assertEquals(4, traffic.waitFor(1)); // at 53
        assertEquals(-1, traffic.waitFor(4));
    }

    @Test
    void R1_requestKIsGrantedAtExactlyKIntervals() {
        for (long permits : new long[] {1, 3, 7, 999_999_937L}) {
            Traffic traffic = new Traffic(Pacer.of(permits, SECOND), Long.MAX_VALUE - 5);
            long distance = Rate.interval(permits, period());
            for (int k = 0; k < 1_000; k++) {
                traffic.askExactly(1);
                assertEquals(k * distance, traffic.grants.get(k).at());
            }
        }
    }

    /** The next slot is the last one and what it took further on, or now if it was free for a whole distance. */
    @Test
    void R1_slotsAreThoseOfTheSchedule() {
        Traffic.forAll(200, random -> {
            long permits = random.nextLong(1, 1_000_000_007L);
            long period = random.nextBoolean() ? Check.MAX_NANOS : random.nextLong(1, 999_999_937L);
            long largest = random.nextLong(1, 20);
            Traffic traffic =
                    new Traffic(Pacer.of(permits, Duration.ofNanos(period)).withLargest(largest), random.nextLong());
            long distance = Rate.interval(permits, period);
            traffic.random(random, 300, largest, 3 * distance);
            long due = 0;
            for (Grant grant : traffic.grants) {
                long slot = due;
                assertTrue(grant.at() >= slot, () -> "granted at " + grant.at() + ", due at " + slot);
                due = (grant.at() - due < distance ? due : grant.at()) + grant.permits() * distance;
            }
            if (distance < 1L << 50) {
                traffic.assertBound(distance, window -> BigInteger.valueOf((window - 1) / distance + 1 + largest));
            }
        });
    }

    @Test
    void R8_noTwoCallersShareASlot() throws Exception {
        VirtualTime time = new VirtualTime();
        Strategy strategy = Pacer.of(10, SECOND).create(time);
        for (int slot = 0; slot < 200; slot++) {
            AtomicLong granted = new AtomicLong();
            BucketChangeTest.inParallel(2, () -> {
                for (int i = 0; i < 50; i++) {
                    granted.addAndGet(strategy.acquire(Request.ONE) == Strategy.GRANTED ? 1 : 0);
                }
            });
            assertEquals(1, granted.get());
            time.advance(period() / 10);
        }
    }

    /** Three slots sold ahead, one of them half over: 2.5 of 100 ms are 2.5 of 200 ms. */
    @Test
    void W5_slotsGrantedAheadStayGrantedAtTheNewInterval() {
        Traffic traffic = new Traffic(Pacer.of(10, SECOND).withLargest(3));
        assertTrue(traffic.ask(3));
        traffic.time.advance(50_000_000);
        assertEquals(250_000_000, traffic.waitFor(1));
        traffic.strategy.setLimit(5);
        assertEquals(500_000_000, traffic.waitFor(1));
        traffic.change(Pacer.of(10, SECOND));
        for (int i = 0; i < 5; i++) {
            assertEquals(100_000_000, traffic.waitFor(1), "three missing, and never more than one");
            traffic.time.advance(100_000_000);
            assertEquals(1, traffic.take(9));
        }
    }

    @Test
    void R6_aRefundedSlotIsFreeAgain() {
        Traffic traffic = new Traffic(Pacer.of(10, SECOND));
        long then = traffic.time.read();
        assertTrue(traffic.ask());
        traffic.time.advance(1_000);
        traffic.strategy.refund(Request.ONE, then);
        assertTrue(traffic.ask());
        assertEquals(100_000_000, traffic.waitFor(1));
    }

    /** The slot that had passed is given back with the first one, so the schedule begins with the next request. */
    @Test
    void R6_aFullRefundLeavesTheInitialState() {
        Traffic traffic = new Traffic(Pacer.of(10, SECOND));
        assertTrue(traffic.ask());
        traffic.strategy.refund(Request.ONE, traffic.time.read());
        assertEquals(0, traffic.strategy.used());
        traffic.time.advance(50_000_000);
        assertTrue(traffic.ask());
        assertEquals(100_000_000, traffic.waitFor(1));
    }

    @Test
    void R3_argumentsAreCheckedByName() {
        TokenBucketTest.assertRefused("permits", () -> Pacer.of(0, SECOND));
        TokenBucketTest.assertRefused("period", () -> Pacer.of(1, Duration.ofDays(30_000)));
        TokenBucketTest.assertRefused("largest", () -> Pacer.of(1, SECOND).withLargest(0));
    }
}
