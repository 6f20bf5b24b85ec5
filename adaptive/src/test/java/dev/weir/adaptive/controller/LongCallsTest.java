package dev.weir.adaptive.controller;

import static dev.weir.adaptive.contract.Windows.MS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Ages;
import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;
import dev.weir.adaptive.contract.Windows;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class LongCallsTest {
    private static final long SECOND = 1000 * MS;

    private final LongCalls longCalls = new LongCalls();

    private static Ages ages(int count, long each) {
        long[] nanos = new long[count];
        Arrays.fill(nanos, each);
        return new Ages(Latencies.of(nanos), count);
    }

    /** A second with 95 calls of 10 ms ended, and so many in flight of this age. */
    private static Window.Builder second(int inFlight, long age) {
        return Window.lasting(SECOND, 100)
                .requests(95, 0)
                .ended(95, 0, 0)
                .inFlight(inFlight, inFlight + 10)
                .latencies(Windows.same(95, 10), Latencies.NONE)
                .ages(ages(inFlight, age));
    }

    private Window learn(Window.Builder window) {
        return longCalls.learn(window.build());
    }

    @Test
    void whatIsTenTimesOlderThanUsualIsSetAside() {
        learn(second(5, 50 * MS));
        assertEquals(0, longCalls.count());
        learn(second(5, 2 * SECOND));
        assertEquals(5, longCalls.count());
        learn(second(3, 30 * SECOND));
        assertEquals(3, longCalls.count(), "two have ended");
    }

    /* A clock that stood still showed 20 latencies of a nanosecond, so that every call looks long; none is seen growing old. */
    @Test
    void ifOnlyLongCallsEndThatWereNeverSeenGrowingOldItStartsOver() {
        Window.Builder instant = second(0, 0).latencies(Latencies.of(new long[20]), Latencies.NONE);
        learn(instant);
        Window.Builder slow = second(0, 0).latencies(Windows.same(95, 5000), Latencies.NONE);
        assertEquals(0, learn(slow).latencies().count(), "all are left out");
        assertEquals(95, learn(slow).latencies().count());
    }

    @Test
    void whatIsSetAsideIsLeftOutOfTheWindow() {
        learn(second(5, 2 * SECOND));
        Window others = longCalls.without(second(5, 3 * SECOND)
                .latencies(Latencies.of(10 * MS, 5 * SECOND), Latencies.NONE)
                .build());
        assertEquals(95, others.limit());
        assertEquals(0, others.minInFlight());
        assertEquals(10, others.maxInFlight());
        assertEquals(1, others.latencies().count(), "when it became long it was counted");
    }

    @Test
    void aCallCountsWhenItBecomesLongAndNotAgainWhenItEnds() {
        learn(second(0, 0));
        Window others = learn(second(5, 500 * MS));
        assertEquals(100, others.latencies().count());
        assertTrue(
                others.latencies().quantile(1) <= 110 * MS,
                () -> others.latencies().quantile(1) + " ns");
        Window later = learn(second(5, 1500 * MS));
        assertEquals(95, later.latencies().count());
    }

    @Test
    void usualIsWhatFourOfFiveTakeAlthoughOnlyLongCallsEnd() {
        for (int i = 0; i < 10; i++) {
            learn(second(5, 500 * MS));
        }
        learn(second(60, 5 * SECOND).ended(5, 0, 0).latencies(Windows.same(5, 5000), Latencies.NONE));
        assertEquals(60, longCalls.count());
        learn(second(60, 6 * SECOND).ended(5, 0, 0).latencies(Windows.same(5, 5000), Latencies.NONE));
        assertEquals(60, longCalls.count());
    }

    @Test
    void whatIsSetAsideStaysSoWhenCallsBecomeSlower() {
        learn(second(5, 2 * SECOND));
        for (int i = 0; i < 20; i++) {
            learn(second(5, (3 + i) * SECOND).latencies(Windows.same(95, 1000), Latencies.NONE));
        }
        assertEquals(5, longCalls.count());
    }

    @Test
    void aServerThatHangsIsNotFilled() {
        learn(second(0, 0));
        for (int i = 0; i < 20; i++) {
            learn(second(95, 500 * MS).ended(0, 0, 0).latencies(Latencies.NONE, Latencies.NONE));
        }
        long before = longCalls.count();
        Window.Builder crowd = second(5000, 300 * SECOND).ended(0, 0, 0).latencies(Latencies.NONE, Latencies.NONE);
        for (int i = 0; i < 100; i++) {
            learn(crowd);
        }
        assertTrue(longCalls.count() <= before + 100, () -> longCalls.count() + " set aside, before " + before);
    }

    @Test
    void longCallsThatTakeTheRoomOfOthersAreAReasonToLook() {
        learn(second(5, 2 * SECOND));
        assertFalse(
                longCalls.outgrowLimit(second(11, 3 * SECOND).requests(95, 1).build()));
        assertTrue(longCalls.outgrowLimit(second(12, 3 * SECOND).requests(95, 1).build()), "more than 100 / 16");
        assertFalse(longCalls.outgrowLimit(second(12, 3 * SECOND).build()), "nobody is refused");
    }

    @Test
    void asLongAsNothingIsKnownNothingIsSetAside() {
        Window few = second(5, 2 * SECOND)
                .latencies(Windows.same(19, 10), Latencies.NONE)
                .build();
        assertEquals(19, longCalls.learn(few).latencies().count());
        assertEquals(0, longCalls.count());
        assertFalse(longCalls.outgrowLimit(few));
    }
}
