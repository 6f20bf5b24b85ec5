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
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("property")
class PacerTest extends StrategyContract {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long MS = 1_000_000;
    private static final long LARGEST = 10;

    /* Slots that are late by so much are made up for. */
    private static final long CATCH_UP = 10_000_000;

    private static long lateSlots(long distance) {
        return CATCH_UP / distance + 1;
    }

    @Override
    protected StrategySpec spec(long limit) {
        return Pacer.of(limit, SECOND).withLargest(LARGEST);
    }

    @Override
    protected long maxWithin(long windowNanos, long limit) {
        long distance = Rate.interval(limit, period());
        return (windowNanos - 1) / distance + lateSlots(distance) + LARGEST;
    }

    @Override
    protected long gainByCancelling(int instants) {
        return instants;
    }

    /** T = 40 ms, more than the 10 ms of catch-up: one slot may be late. */
    @Test
    void byHand() {
        Traffic traffic = new Traffic(Pacer.of(25, SECOND).withLargest(3));
        assertEquals(1, traffic.take(9)); // slot 0
        assertEquals(40 * MS, traffic.waitFor(1)); // slot at 40
        assertEquals(40 * MS, traffic.waitFor(3)); // a large one waits no longer
        traffic.time.advance(40 * MS);
        assertTrue(traffic.ask(3)); // slots at 40, 80 and 120
        assertEquals(120 * MS, traffic.waitFor(1)); // slot at 160
        traffic.time.advance(110 * MS);
        assertEquals(10 * MS, traffic.waitFor(1));
        traffic.time.advance(220 * MS); // at 370: slots at 160 ... 360 have passed unused
        assertEquals(1, traffic.take(9));
        assertEquals(40 * MS, traffic.waitFor(1)); // at 410: T after the one at 370, not on a grid
        traffic.time.advance(70 * MS); // at 440: the slot at 410 is 30 late, less than T
        assertEquals(1, traffic.take(9));
        assertEquals(10 * MS, traffic.waitFor(1)); // at 450, as if the former had been taken on time
        traffic.time.advance(50 * MS); // at 490: the slot at 450 is 40 late, and lost
        assertEquals(1, traffic.take(9));
        assertEquals(40 * MS, traffic.waitFor(1)); // at 530
        assertEquals(-1, traffic.waitFor(4));
    }

    /** T = 4 ms: three slots may be late at once, by less than 12 ms. */
    @Test
    void severalLateSlotsByHand() {
        Traffic traffic = new Traffic(Pacer.of(250, SECOND).withLargest(3));
        assertEquals(1, traffic.take(9)); // slot 0
        traffic.time.advance(14 * MS); // the slots at 4, 8 and 12 are 10, 6 and 2 late
        assertEquals(3, traffic.take(9));
        assertEquals(2 * MS, traffic.waitFor(1)); // at 16, as if all had been taken on time
        traffic.time.advance(2 * MS + 11_999_999); // the slot at 16 is a nanosecond less than three slots late
        assertEquals(2, traffic.take(2));
        assertTrue(traffic.ask(3)); // the last of three may be a large one
        assertEquals(8 * MS + 1, traffic.waitFor(1)); // at 36
        traffic.time.advance(20 * MS + 1); // at 48: the slot at 36 is three slots late, and lost with those after it
        assertEquals(1, traffic.take(9));
        assertEquals(4 * MS, traffic.waitFor(1));
        traffic.time.advance(1_000 * MS);
        assertEquals(1, traffic.take(9), "nothing is saved");
        assertEquals(4 * MS, traffic.waitFor(1));
    }

    /** 10 s behind a waker that comes up to 10 ms late, and takes all that is due then. */
    @Test
    void aLateWakerLosesNothing() {
        for (long permits : new long[] {1_000, 5_000}) {
            Traffic.forAll(20, random -> {
                Traffic traffic = new Traffic(Pacer.of(permits, SECOND), random.nextLong());
                long all = 10 * permits;
                traffic.take(all);
                while (traffic.grants.size() < all) {
                    traffic.time.advance(traffic.waitFor(1) + random.nextLong(CATCH_UP + 1));
                    traffic.take(all - traffic.grants.size());
                }
                long millis = traffic.grants.get((int) all - 1).at() / MS;
                assertTrue(millis <= 10_010, () -> all + " slots in " + millis + " ms");
            });
        }
    }

    /** From 5,000 to 50 per second and back, after slots that were late: what is ahead or late is so many slots at each rate. */
    @Test
    void W5_aDialDownAndUpNeitherLocksOutNorGrantsMore() {
        Traffic traffic = new Traffic(Pacer.of(5_000, SECOND));
        assertEquals(1, traffic.take(100));
        traffic.time.advance(10 * MS);
        assertEquals(50, traffic.take(100));
        assertEquals(200_000, traffic.waitFor(1));
        traffic.strategy.setLimit(50);
        assertEquals(20 * MS, traffic.waitFor(1), "one slot ahead, at the new interval");
        traffic.strategy.setLimit(5_000);
        assertEquals(200_000, traffic.waitFor(1));
        for (int i = 0; i < 1_000; i++) {
            traffic.strategy.setLimit(i % 2 == 0 ? 50 : 5_000);
            assertEquals(0, traffic.take(100));
        }
        traffic.time.advance(10 * MS);
        traffic.strategy.setLimit(50);
        assertEquals(1, traffic.take(100), "one slot of 20 ms, after 49 late ones");
        traffic.strategy.setLimit(5_000);
        assertEquals(200_000, traffic.waitFor(1));
    }

    /** What was granted late is used, and no more than that: a successor and the pacer again add nothing at one instant. */
    @Test
    void W5_whatWasGrantedLateIsUsed() {
        Traffic traffic = new Traffic(Pacer.of(5_000, SECOND));
        assertEquals(1, traffic.take(100));
        assertEquals(2, traffic.used(), "and a slot that may have passed");
        traffic.time.advance(10 * MS);
        assertEquals(50, traffic.take(100));
        assertEquals(50, traffic.used());
        traffic.time.advance(10 * period());
        assertEquals(0, traffic.used());
        assertEquals(1, traffic.take(100));
        assertEquals(2, traffic.used(), "no slot was late since");
    }

    /** In any window: c + largest, and one for each T. At one instant: c - 1 + largest, as the specification's burst says. */
    @Test
    void R1_changesToAnotherRateAndBackNeverGrantMore() {
        for (StrategySpec other : List.of(
                TokenBucket.of(50, SECOND), FixedWindow.of(10, SECOND), Gcra.of(50, SECOND), Pacer.of(50, SECOND))) {
            Traffic.forAll(20, random -> {
                StrategySpec pacer = Pacer.of(5_000, SECOND);
                Traffic traffic = new Traffic(pacer, random.nextLong());
                long most = Math.max(
                        traffic.strategy.account().burst(),
                        other.create(traffic.time).account().burst());
                for (int round = 0; round < 5; round++) {
                    for (int i = 0; i < 50; i++) {
                        traffic.take(100);
                        traffic.time.advance(random.nextLong(12 * MS));
                    }
                    int before = traffic.grants.size();
                    for (int i = 0; i < 200; i++) {
                        traffic.take(100);
                        traffic.change(i % 2 == 0 ? other : pacer);
                        traffic.take(100);
                    }
                    long atOnce = traffic.grants.size() - before;
                    assertTrue(atOnce <= most, () -> atOnce + " at one instant with " + other);
                }
                traffic.assertBound(period() / 5_000, window -> Traffic.bound(most + 1, window, 5_000, period()));
            });
        }
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

    /** The next slot is the last one and what it took further on, or now if it was free for longer than the catch-up. */
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
            long late = lateSlots(distance);
            long due = 0;
            for (Grant grant : traffic.grants) {
                long slot = due;
                assertTrue(grant.at() >= slot, () -> "granted at " + grant.at() + ", due at " + slot);
                due = (grant.at() - due < late * distance ? due : grant.at()) + grant.permits() * distance;
            }
            if (distance < 1L << 50) {
                traffic.assertBound(distance, window -> BigInteger.valueOf((window - 1) / distance + late + largest));
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

    /** Slots that are late, lost and counted anew by threads that compete: used is never less than all grants say. */
    @Test
    void W5_R8_threadsNeverMakeLessUsedThanWasGranted() throws Exception {
        VirtualTime time = new VirtualTime();
        Strategy strategy = Pacer.of(1_000, SECOND).create(time);
        SplittableRandom random = new SplittableRandom(1);
        long owed = 0;
        for (int round = 0; round < 2_000; round++) {
            AtomicLong granted = new AtomicLong();
            BucketChangeTest.inParallel(2, () -> {
                while (strategy.acquire(Request.ONE) == Strategy.GRANTED) {
                    granted.incrementAndGet();
                }
            });
            owed += granted.get() * MS;
            long used = Traffic.used(strategy);
            long least = owed;
            assertTrue(granted.get() <= lateSlots(MS), () -> granted + " at one instant");
            assertTrue(used * MS >= least, () -> used + " used, granted and not refilled " + least + " ns");
            assertTrue(used * MS <= least + 2 * MS, () -> used + " used of " + least + " ns");
            long pause = random.nextLong(random.nextInt(4) == 0 ? 20 * MS : 3 * MS);
            time.advance(pause);
            owed = Math.max(0, owed - pause);
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
        assertEquals(0, traffic.used());
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
