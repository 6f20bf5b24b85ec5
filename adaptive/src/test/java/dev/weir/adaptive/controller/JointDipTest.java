package dev.weir.adaptive.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Window;
import dev.weir.adaptive.contract.Windows;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JointDipTest {
    private static final long NOON = 1_767_268_800_000L; // a multiple of 12.8 s

    private final JointDip dip = new JointDip();

    private static Window ended(long epochMillis, long atMillis) {
        return Window.lasting(10 * Windows.MS, 10)
                .epochMillis(epochMillis)
                .at(atMillis * Windows.MS)
                .build();
    }

    /* The slot is the least of 100, 200, 400 ... ms with four latencies; it begins late by less than a quarter of it. */
    @ParameterizedTest
    @CsvSource({
        "20, 0, true",
        "20, 24, true",
        "20, 25, false",
        "20, 6399, false",
        "20, 6400, true",
        "26, 49, true",
        "26, 50, false",
        "800, 6400, true",
        "801, 6400, false",
        "801, 12800, true",
        "60000, 12800, true"
    })
    void itIsDueAtMultiplesOfTheGrid(double latencyMillis, long millis, boolean due) {
        assertEquals(due, dip.due(ended(NOON + millis, millis), latencyMillis * Windows.MS));
    }

    @Test
    void withoutATimeOfDayThereIsNone() {
        assertFalse(dip.due(ended(0, 6400), 20 * Windows.MS));
        assertFalse(dip.due(ended(-12_800, 6400), 20 * Windows.MS));
    }

    /* 400 ms from the moment, of which 100 to settle, whatever the clock says meanwhile. */
    @Test
    void itLastsForOneSlotByTheTicker() {
        dip.begin(ended(NOON + 10, 1_000_010), 100 * Windows.MS, 50, 40, Throughput.NONE);
        assertFalse(dip.complete(ended(NOON + 99, 1_000_099)));
        assertTrue(dip.complete(ended(NOON - 86_400_000, 1_000_100)));
        assertFalse(dip.over());
        assertTrue(dip.on());
        assertFalse(dip.complete(ended(NOON + 500, 1_000_399)));
        assertTrue(dip.complete(ended(NOON, 1_000_400)));
        assertTrue(dip.over());
        assertFalse(dip.on());
    }

    @Test
    void itIsStaleASlotAfterItsEndButNotBeforeAFifthOfASecond() {
        dip.begin(ended(NOON, 1_000_000), 100 * Windows.MS, 50, 40, Throughput.NONE);
        assertFalse(dip.isStale(ended(NOON + 800, 1_000_800)));
        assertTrue(dip.isStale(ended(NOON + 801, 1_000_801)));
        dip.begin(ended(NOON + 6400, 2_000_000), 20 * Windows.MS, 50, 40, Throughput.NONE);
        assertFalse(dip.isStale(ended(NOON + 6700, 2_000_300)));
        assertTrue(dip.isStale(ended(NOON + 6701, 2_000_301)));
    }

    /* Nothing waits for a ticker that ran back. */
    @Test
    void aTickerThatRanBackEndsItAndDoesNotKeepFromTheNext() {
        dip.begin(ended(NOON, Long.MAX_VALUE / Windows.MS), 100 * Windows.MS, 50, 40, Throughput.NONE);
        assertTrue(dip.complete(ended(NOON + 10, 10)));
        assertFalse(dip.over());
        assertTrue(dip.complete(ended(NOON + 20, 20)));
        assertTrue(dip.over());
        assertTrue(dip.due(ended(NOON + 6400, 6400), 100 * Windows.MS));
    }

    @Test
    void aMomentComesOnce() {
        dip.skip(ended(NOON, 0), 20 * Windows.MS);
        assertFalse(dip.due(ended(NOON + 20, 20), 20 * Windows.MS));
        assertTrue(dip.due(ended(NOON + 6400, 6400), 20 * Windows.MS));
    }

    @Test
    void aClockThatJumpsCostsAtMostOneSlotEach() {
        for (long seed = 1; seed <= 50; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            JointDip one = new JointDip();
            int jumps = 0;
            long clock = NOON + random.nextLong(10_000);
            int dips = 0;
            for (long millis = 0; millis < 600_000; millis += 10) {
                clock += 10;
                if (random.nextInt(1000) == 0) {
                    jumps++;
                    clock += random.nextLong(-100_000, 100_000);
                }
                Window window = ended(clock, millis);
                if (one.on() ? one.complete(window) && one.over() : one.due(window, 100 * Windows.MS)) {
                    if (!one.on() && one.due(window, 100 * Windows.MS)) {
                        one.begin(window, 100 * Windows.MS, 50, 40, Throughput.NONE);
                        dips++;
                    }
                }
            }
            int most = 600_000 / 6_400 + 1 + jumps;
            int seen = dips;
            assertTrue(seen <= most && seen > 30, () -> seen + " of at most " + most);
        }
    }

    /* 1,000 in flight at 100 a second take ten seconds, a third of the longest slot 8.5 s. */
    @ParameterizedTest
    @CsvSource({"1000, 6000, true", "850, 6000, false", "1000, 3000, false"})
    void aQueueMayBeTooLongForTheLongestSlot(double inFlight, double latencyMillis, boolean tooShort) {
        Window second = Window.lasting(1000 * Windows.MS, 1000).ended(100, 0, 0).build();
        dip.begin(ended(NOON, 0), latencyMillis * Windows.MS, 1000, inFlight, Throughput.of(second));
        assertEquals(tooShort, dip.tooShort());
    }

    @Test
    void afterThreeMinutesWithoutAMomentTheClockIsNotUsual() {
        dip.skip(ended(NOON, 1000), 20 * Windows.MS);
        assertTrue(dip.isUsual(ended(NOON, 180_999)));
        assertFalse(dip.isUsual(ended(NOON, 181_000)));
    }
}
