package dev.weir.adaptive.controller;

import static dev.weir.adaptive.contract.Windows.MS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;
import dev.weir.adaptive.contract.ControllerBench;
import dev.weir.adaptive.contract.ControllerContract;
import dev.weir.adaptive.contract.Windows;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CrestTest extends ControllerContract {
    private final Crest crest = Crest.alone();

    @Override
    protected Controller controller() {
        return new Crest();
    }

    @Override
    protected double[] knee() {
        return new double[] {0.9, 2};
    }

    /** 64 calls of 10 ms on average, with a squared coefficient of variation of 1: half 0.078 ms, half 19.922 ms. */
    private static Latencies varied() {
        long[] nanos = new long[64];
        Arrays.fill(nanos, 0, 32, 78_434);
        Arrays.fill(nanos, 32, 64, 19_921_566);
        return Latencies.of(nanos);
    }

    private static Window.Builder binding(long limit, long done, long millis) {
        return Window.lasting(millis * MS, limit)
                .requests(done, done)
                .ended(done, 0, 0)
                .inFlight(limit, limit)
                .latencies(varied(), Latencies.NONE);
    }

    private long see(long limit, long done, long millis) {
        return crest.next(binding(limit, done, millis).build(), limit);
    }

    /** A knee of 1000, CALM at 1250, binding for three windows behind a queue, HIGH. */
    private void untilHigh() {
        crest.restore(Map.of("knee", 1000.0), 1);
        assertEquals(1250, crest.next(binding(1250, 100, 100).waiting(1).build(), 1250), "CALM");
        assertEquals(1250, see(1250, 100, 100), "CALM");
        assertEquals(1250, see(1250, 100, 100), "HIGH");
        assertEquals(1250, see(1250, 100, 100), "settles");
    }

    private long untilLow(long done) {
        untilHigh();
        long low = see(1250, done, 100);
        assertEquals(low, see(low, done, 100), "settles");
        return low;
    }

    @Test
    void aBindingLimitWithoutAQueueIsProbedBelowAtOnce() {
        crest.restore(Map.of("knee", 1000.0), 1);
        assertEquals(1250, see(1250, 100, 100), "CALM");
        assertEquals(1250, see(1250, 100, 100), "CALM");
        assertEquals(980, see(1250, 100, 100), "LOW: the three windows are the high ones");
        assertEquals("crest: probes below, 1000/s above, knee 1000.0", crest.why());
    }

    /* RAMP at 8, 16 and 32, where it thrashes. */
    private void untilHarm() {
        assertEquals(8, see(8, 100, 100), "RAMP");
        assertEquals(8, see(8, 100, 100), "settles");
        assertEquals(16, see(8, 100, 100));
        assertEquals(16, see(16, 100, 100), "settles");
        assertEquals(32, see(16, 200, 100));
        assertEquals(32, see(32, 100, 100), "settles");
        Latencies slow = Windows.same(20, 200);
        Window thrashing = binding(32, 20, 200).latencies(slow, Latencies.NONE).build();
        assertEquals(13, crest.next(thrashing, 32), "K = 8, half of what did good");
    }

    @Test
    void aLimitThatDidHarmIsNotExceededForAWhile() {
        untilHarm();
        assertEquals(13, see(13, 800, 500), "settles");
        assertEquals(8, see(13, 800, 500), "LOW");
        assertEquals(8, see(8, 400, 500), "settles");
        assertEquals(13, see(8, 400, 500), "clearly below the knee: RAMP");
        assertEquals(13, see(13, 800, 500), "settles");
        assertEquals(23, see(13, 800, 500), "sqrt(16 x 32), not 26");
    }

    @Test
    void sureOfItItPutsTheKneeWhereTheTwoThroughputsMeet() {
        assertEquals(980, untilLow(1_000_000));
        // K' = 980 * 1.01 = 989.8, d = ln 0.9898 = -0.01025, s^2 = 2e-6: of d 98 %, K = 990.0
        assertEquals(1237, see(980, 1_000_000, 101), 1);
        assertTrue(crest.why().startsWith("crest: elasticity 0.04, 10000000/s against 9900990/s"), crest.why());
    }

    @Test
    void unsureItMovesByCubeOverSquareAndError() {
        assertEquals(980, untilLow(200));
        // d = ln 0.98 + ln 1.25 = 0.2029, s^2 = 2 / 200, move = 0.008358 / (0.041185 + 0.01) = 0.1633, K = 1177.4
        assertEquals(1472, see(980, 200, 125), 1);
        assertEquals(1177.4, crest.learned().get("knee"), 0.5);
    }

    @Test
    void elasticBeyondDoubtItLooksHowFarThroughputGrows() {
        untilLow(1_000_000);
        assertEquals(1250, see(980, 1_000_000, 125), "the high one again");
        assertEquals(1250, see(1250, 1_000_000, 100), "settles");
        assertEquals(2500, see(1250, 1_000_000, 100), "RAMP");
    }

    /*
     * Throughput follows the limit, so each probe shows a growth of ln(1250 / 980) = 0.24 at least; with each there are more
     * high windows.
     *
     * probe                   1      2      3
     * growth in all           0.24   0.49   0.73
     * error of one            0.12   0.11   0.10
     * 3.5 errors of all       0.43   0.57   0.67
     */
    @Test
    void probesThatAllSayHigherAreBeyondDoubtTogether() {
        untilHigh();
        long limit = 1250;
        String rule = "";
        int probes = 0;
        for (int window = 0; window < 100 && !crest.why().contains("throughput grows"); window++) {
            limit = see(limit, 130, 125_000 / limit);
            probes +=
                    crest.why().startsWith("crest: elasticity") && !crest.why().equals(rule) ? 1 : 0;
            rule = crest.why();
        }
        assertEquals(3, probes, crest.why());
    }

    @Test
    void aKneeIsAtLeastOneWhateverIsLost() {
        long limit = 2;
        for (int window = 0; window < 50; window++) {
            limit = crest.next(binding(limit, 0, 100).ended(0, 40, 0).build(), limit);
            assertTrue(limit >= 1, crest.why());
            assertTrue(crest.learned().get("knee") >= 1, crest.why());
        }
    }

    @Test
    void whereDemandFellInTheMiddleItStaysAtTheKnee() {
        untilHigh();
        Window fell =
                binding(1250, 1000, 100).requests(1000, 100).inFlight(10, 1250).build();
        assertEquals(1250, crest.next(fell, 1250));
        assertEquals("crest: demand fell, knee 1000.0", crest.why());
        assertEquals(1000, crest.learned().get("knee"));
    }

    @Test
    void lateAnswersShrink() {
        Window half = binding(1000, 0, 100)
                .ended(50, 50, 0)
                .latencies(Latencies.NONE, Latencies.NONE)
                .build();
        crest.restore(Map.of("knee", 800.0), 1);
        assertEquals(700, crest.next(half, 1000), "800 * 0.7 * 1.25");
        assertEquals("crest: 50 of 100 lost, knee 560.0", crest.why());
        Window little = binding(1000, 100, 100).ended(50, 50, 0).build();
        Crest another = Crest.alone();
        another.restore(Map.of("knee", 800.0, "latency", 10.0 * MS), 1);
        assertEquals(300, another.next(little, 1000), "0.3 * 800 * 1.25: no more than 1,000/s * 10 ms are needed");
    }

    @Test
    void callsThatHangAreNoReasonToShrink() {
        Window hung = Window.lasting(3000 * MS, 1000).inFlight(5, 5).hung(5).build();
        assertEquals(1000, crest.next(hung, 1000));
    }

    @Test
    void whereNothingComesOutTheRampWaits() {
        Window nothing = binding(8, 0, 3000)
                .requests(0, 100)
                .latencies(Latencies.NONE, Latencies.NONE)
                .hung(1)
                .build();
        for (int window = 0; window < 10; window++) {
            assertEquals(8, crest.next(nothing, 8));
        }
        assertEquals("crest: nothing came out, knee 4.3", crest.why());
        assertEquals(16, see(8, 100, 100), "throughput grows");
    }

    @Test
    void oneVeryLateAnswerDoesNotFreezeIt() {
        long[] nanos = new long[10];
        Arrays.fill(nanos, 10 * MS);
        nanos[9] = 50 * 60_000 * MS;
        Window late = binding(1000, 10, 1000)
                .latencies(Latencies.of(nanos), Latencies.NONE)
                .build();
        crest.next(late, 1000);
        assertTrue(crest.enough(Window.lasting(60_000 * MS, 1000).build()));
    }

    @Test
    void aLimitThatAnotherHandLoweredIsTakenUp() {
        untilHigh();
        assertEquals(196, see(200, 1000, 100), "0.98 * 200");
    }

    @Test
    void whereManyAreRefusedAnEmptyMomentIsNoFallOfDemand() {
        untilHigh();
        Window lumpy =
                binding(1250, 1000, 100).requests(1000, 1000).inFlight(0, 1250).build();
        assertEquals(980, crest.next(lumpy, 1250), "probes on");
    }

    @Test
    void whereManyAreRefusedTheLimitIsNoHigherForABurst() {
        crest.restore(Map.of("knee", 800.0), 1);
        Window lumpy =
                binding(1000, 1000, 100).requests(1000, 1000).inFlight(0, 1000).build();
        assertEquals(1000, crest.next(lumpy, 1000));
        assertEquals("crest: the limit binds, perhaps for a moment, knee 800.0", crest.why());
    }

    @Test
    void aLimitThatAnotherHandRaisedIsTakenUp() {
        untilHigh();
        assertEquals(3920, see(5000, 1000, 100), "0.98 * 5000 / 1.25");
    }

    @Test
    void withoutDemandItHoldsOnToWhatItKnows() {
        crest.restore(Map.of("knee", 800.0), 1);
        long limit = 1000;
        for (int window = 0; window < 1000; window++) {
            limit = crest.next(Windows.quiet(limit, 10), limit);
        }
        assertEquals(800, crest.learned().get("knee"));
        assertEquals(3000, limit);
    }

    private static Window drained(long limit, long max) {
        return Window.lasting(100 * MS, limit)
                .requests(1000, 0)
                .ended(1000, 0, 0)
                .inFlight(0, max)
                .latencies(Windows.same(20, 10), Latencies.NONE)
                .build();
    }

    @Test
    void aloneABurstMayBeThreeTimesTheLimitOfTheKnee() {
        crest.restore(Map.of("knee", 800.0), 1);
        assertEquals(3000, crest.next(drained(1000, 500), 1000));
    }

    @Test
    void aBurstOfOneOfSeveralMayBeTwoAndAHalfTimesTheKnee() {
        Crest several = new Crest();
        several.restore(Map.of("knee", 800.0), 1);
        assertEquals(2000, several.next(drained(1000, 500), 1000));
    }

    @Test
    void aFirstLimitThatNeverBoundIsNotMultiplied() {
        long limit = 1000;
        for (int window = 0; window < 1000; window++) {
            limit = crest.next(Windows.quiet(limit, 10), limit);
        }
        assertEquals(1000, limit);
    }

    private static Window slice(long limit, long admitted, long ended, long inFlight) {
        return Window.lasting(50 * MS, limit)
                .requests(admitted, 0)
                .ended(ended, 0, 0)
                .inFlight(inFlight, inFlight)
                .build();
    }

    @Test
    void aHighFirstLimitOpensAsCallsEnd() {
        assertEquals(64, crest.start(1000));
        assertEquals(64, crest.next(slice(64, 64, 15, 5), 64));
        assertEquals(128, crest.next(slice(64, 10, 1, 5), 64), "a quarter of 64 has ended");
        assertEquals(128, crest.next(slice(128, 10, 31, 5), 128));
        assertEquals(256, crest.next(slice(128, 10, 1, 5), 128));
        assertEquals(512, crest.next(slice(256, 10, 64, 5), 256), "64 are enough");
        assertEquals(1000, crest.next(slice(512, 10, 64, 5), 512));
    }

    @Test
    void aLowFirstLimitIsWhereItStarts() {
        assertEquals(3, crest.start(3));
        assertEquals(64, crest.start(64));
    }

    @Test
    void aServerThatHangsGetsNoMore() {
        assertEquals(64, crest.start(1000));
        for (int window = 0; window < 1000; window++) {
            assertEquals(64, crest.next(slice(64, 0, 0, 64), 64));
        }
    }

    @Test
    void whatAnotherHandSetsWhileItOpensStays() {
        crest.start(1000);
        crest.next(slice(64, 64, 16, 5), 64);
        for (int window = 0; window < 100; window++) {
            long limit = crest.next(slice(50, 50, 50, 5), 50);
            assertTrue(limit <= 64, () -> limit + " by " + crest.why());
        }
    }

    /** A server of 500 a second behind a rate, where nothing is ever in flight; what is over the knee is lost. */
    @Test
    void ratesSettleWhereAnswersBecomeLate() {
        ControllerBench bench = new ControllerBench(crest, use -> Map.of(), 150);
        double sum = 0;
        for (int slice = 0; slice < 6000; slice++) {
            long done = Math.min(bench.limit, 500) / 10;
            long lost = Math.max(0, bench.limit - 500) / 10;
            bench.see(Window.lasting(100 * MS, bench.limit)
                    .requests(done + lost, 1000)
                    .ended(done, lost, 0)
                    .latencies(Windows.same(20, 10), Latencies.NONE)
                    .build());
            sum += slice < 600 ? 0 : bench.limit;
        }
        double mean = sum / 5400;
        assertTrue(mean >= 300 && mean <= 600, () -> mean + " by " + crest.why());
    }

    /* It never binds; the knee is that for which the saved limit is right in calm. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLimitDoesNotGrowFromRestartToRestart(boolean joint) {
        Map<String, Double> learned = Map.of("knee", 60.0, "latency", 10.0 * MS);
        long inCalm = joint ? 150 : 225;
        long limit = inCalm;
        for (int restart = 0; restart < 6; restart++) {
            Crest next = joint ? new Crest() : Crest.alone();
            next.restore(learned, 1);
            limit = next.start(limit);
            for (int window = 0; window < 100; window++) {
                limit = next.next(Windows.quiet(limit, 10), limit);
            }
            learned = next.learned();
        }
        assertEquals(inCalm, limit, 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLimitThatAnotherHandSetsInCalmIsNotMultiplied(boolean joint) {
        Crest calm = joint ? new Crest() : Crest.alone();
        calm.restore(Map.of("knee", 60.0, "latency", 10.0 * MS), 1);
        long inCalm = joint ? 150 : 225;
        assertEquals(inCalm, calm.next(Windows.quiet(inCalm, 10), inCalm));
        for (long set : new long[] {200, 1000, 400}) {
            long limit = set;
            for (int window = 0; window < 100; window++) {
                limit = calm.next(Windows.quiet(limit, 10), limit);
            }
            assertEquals(set, limit, 1, calm.why());
        }
    }

    @Test
    void aServerThatOnlyTimesOutGetsNoMore() {
        crest.start(1000);
        for (int window = 0; window < 1000; window++) {
            Window lost = Window.lasting(50 * MS, 64)
                    .requests(1, 0)
                    .ended(0, 1, 0)
                    .inFlight(64, 64)
                    .build();
            assertTrue(crest.next(lost, 64) <= 64, crest::why);
        }
    }

    @Test
    void aDryRunOfARateLeavesItAsItIs() {
        for (int window = 0; window < 100; window++) {
            Window dry = Windows.busy(1500, 20).inFlight(0, 0).passed(5).build();
            assertEquals(1500, crest.next(dry, 1500), crest.why());
        }
    }
}
