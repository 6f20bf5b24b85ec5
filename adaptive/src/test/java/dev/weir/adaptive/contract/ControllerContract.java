package dev.weir.adaptive.contract;

import static dev.weir.adaptive.contract.ControllerBench.WORKERS;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import dev.weir.testkit.Seed;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * The contract of every controller. Extend this class and return your controller: all tests of the contract run with it. A
 * controller whose limit settles near the knee of a server, as that of {@link dev.weir.adaptive.controller.Crest} does, or at a
 * multiple of it, overrides {@link #knee}; one
 * that depends on signals, such as the CPU or the delay of a queue, overrides {@link #signals}; one that moves the limit without
 * demand, such as a ramp by time, overrides {@link #rest}; and one that cannot keep a promise names it in {@link #broken}.
 */
@Tag("contract")
public abstract class ControllerContract {
    private static final int DAY = 24 * 60 * 60;

    /** Ten minutes of slices. */
    private static final int LONG = 6000;

    private static final int SHORT = 600;

    /** For the test class that extends it. */
    protected ControllerContract() {}

    /**
     * The controller under test: a new one each time. All of them must answer equal windows with equal limits, so one that
     * needs random numbers takes a seed, and this method always gives it the same.
     */
    protected abstract Controller controller();

    /** The values of the signals, by name, at this utilisation of the server, 0 to 1. Default: none. */
    protected Map<String, Double> signals(double use) {
        return Map.of();
    }

    /**
     * The range in which the limit settles: the least and the greatest multiple of the knee. Under constant demand above the
     * capacity, after one minute, the mean limit of each of the next five minutes must be within it. Override it if there is
     * such a range, whether the controller looks for the knee or not. Default: an empty array, which skips this test.
     */
    protected double[] knee() {
        return new double[0];
    }

    /** The factor by which the limit may change without demand. Default: 1. */
    protected double rest() {
        return 1;
    }

    /** The promises of the contract that a controller may be known to break. */
    protected enum Promise {
        /** From any first limit it is at the same limit after a minute. */
        ANY_START,
        /** Long calls that hold no worker make it refuse none of the others. */
        MIXED_CALLS,
        /** Losses that no limit prevents, such as those of a nested limit, make it refuse nothing. */
        DROPS_THAT_NO_LIMIT_CURES
    }

    /** The promises that its published formula breaks. Default: none. The test of a promise that is named here must fail. */
    protected Set<Promise> broken() {
        return Set.of();
    }

    private void keeps(Promise promise, Executable test) {
        if (broken().contains(promise)) {
            assertThrows(AssertionError.class, test, () -> promise + " is kept: remove it from broken()");
        } else {
            assertDoesNotThrow(test);
        }
    }

    private ControllerBench bench(long limit) {
        return new ControllerBench(controller(), this::signals, limit);
    }

    @Test
    final void A1_A2_A3_noWindowMakesItThrowOrAnswerLessThanOne() {
        Seed.forAll(20, random -> bench(random.nextLong(1, 1000)).suffer(500, random));
    }

    @Test
    final void A2_whatItSuffersDoesNotPoisonIt() {
        ControllerBench fresh = bench(WORKERS);
        fresh.serve(LONG);
        double expected = settled(fresh);
        Seed.forAll(5, random -> {
            ControllerBench healed = bench(WORKERS);
            healed.suffer(200, random);
            healed.limit = WORKERS;
            healed.serve(LONG);
            assertAsGood(expected, healed);
        });
    }

    private static void assertAsGood(double expected, ControllerBench bench) {
        double settled = settled(bench);
        assertTrue(
                settled >= expected / 4 && settled <= expected * 4 && settled > 1,
                () -> settled + " by " + bench.controller.why() + ", not about " + expected);
    }

    @Test
    final void A4_aDayWithoutDemandMovesNothing() {
        Seed.forAll(1, random -> {
            ControllerBench bench = bench(100);
            for (long second = 1; second <= DAY; second++) {
                bench.see(Windows.quiet(bench.limit, second * 1_000_000_000, random).toBuilder()
                        .signals(signals(0.3))
                        .build());
                assertAtRest(bench);
            }
        });
    }

    @Test
    final void A4_aDayOfNothingMovesNothing() {
        ControllerBench bench = bench(100);
        for (long second = 1; second <= DAY; second++) {
            bench.evaluate(Window.lasting(1_000_000_000, 100)
                    .at(second * 1_000_000_000)
                    .build());
            assertAtRest(bench);
        }
    }

    private void assertAtRest(ControllerBench bench) {
        assertTrue(
                bench.limit <= 100 * rest() && bench.limit >= 100 / rest(),
                () -> bench.limit + " by " + bench.controller.why());
    }

    @Test
    final void A8_itFindsTheKneeAndStaysThere() {
        double[] knee = knee();
        assumeTrue(knee.length == 2, "names no range around the knee");
        for (long start : new long[] {1, 4, WORKERS}) {
            ControllerBench bench = bench(start);
            bench.serve(SHORT);
            for (int minute = 0; minute < 5; minute++) {
                assertWithin(knee, bench);
            }
        }
    }

    private static void assertWithin(double[] knee, ControllerBench bench) {
        double settled = settled(bench);
        assertTrue(
                settled >= knee[0] * WORKERS && settled <= knee[1] * WORKERS,
                () -> settled + " by " + bench.controller.why());
    }

    /* On average, for a controller that probes is elsewhere now and then. */
    private static double settled(ControllerBench bench) {
        double sum = 0;
        for (int slice = 0; slice < SHORT; slice++) {
            bench.serve(1);
            sum += bench.limit;
        }
        return sum / SHORT;
    }

    @Test
    final void A8_anyStartLeadsToTheSame() {
        keeps(Promise.ANY_START, () -> {
            ControllerBench usual = started(8);
            usual.serve(SHORT);
            double expected = settled(usual);
            for (long start : new long[] {1, 200, 1000, 10_000}) {
                ControllerBench bench = started(start);
                bench.serve(SHORT);
                double settled = settled(bench);
                assertTrue(
                        settled >= expected / 2 && settled <= expected * 2,
                        () -> "from " + start + " to " + settled + " by " + bench.controller.why() + ", not about "
                                + expected);
            }
        });
    }

    private ControllerBench started(long limit) {
        ControllerBench bench = bench(limit);
        bench.limit = Math.min(1000, bench.controller.start(limit));
        return bench;
    }

    @Test
    final void A12_longCallsThatHoldNoWorkerMakeItRefuseNoOther() {
        keeps(Promise.MIXED_CALLS, () -> {
            ControllerBench bench = started(100);
            bench.refusedBesidePolls(SHORT);
            double refused = bench.refusedBesidePolls(LONG);
            assertTrue(refused <= 0.01, () -> refused + " refused by " + bench.controller.why());
        });
    }

    @Test
    final void A12_dropsThatNoLimitCuresMakeItRefuseNothing() {
        keeps(Promise.DROPS_THAT_NO_LIMIT_CURES, () -> {
            ControllerBench bench = started(100);
            bench.refusedBesideDrops(SHORT);
            double refused = bench.refusedBesideDrops(LONG);
            assertTrue(refused <= 0.03, () -> refused + " refused by " + bench.controller.why());
        });
    }

    @Test
    final void A8_afterLosingEverythingItComesBack() {
        ControllerBench bench = bench(WORKERS);
        bench.serve(SHORT);
        bench.loseAll(SHORT);
        bench.serve(SHORT);
        double settled = settled(bench);
        assertTrue(settled >= WORKERS / 2.0, () -> settled + " by " + bench.controller.why());
    }

    @Test
    final void A9_fastFailuresNeverRaiseTheLimit() {
        ControllerBench fresh = bench(WORKERS);
        for (int slice = 0; slice < SHORT; slice++) {
            fresh.failFast(1);
            assertTrue(fresh.limit <= WORKERS, () -> fresh.limit + " by " + fresh.controller.why());
        }
        ControllerBench used = bench(WORKERS);
        long max = WORKERS;
        for (int slice = 0; slice < SHORT; slice++) {
            used.serve(1);
            max = Math.max(max, used.limit);
        }
        for (int slice = 0; slice < SHORT; slice++) {
            used.failFast(1);
            long highest = max;
            assertTrue(used.limit <= highest, () -> used.limit + " by " + used.controller.why());
        }
    }

    @Test
    final void equalWindowsHaveEqualAnswers() {
        ControllerBench one = bench(4);
        ControllerBench other = bench(4);
        for (int slice = 0; slice < SHORT; slice++) {
            one.serve(1);
            other.serve(1);
            assertEquals(one.limit, other.limit);
        }
    }

    @Test
    final void whatItLearnedServesAnother() {
        ControllerBench before = bench(4);
        before.serve(SHORT);
        Map<String, Double> learned = before.controller.learned();
        double expected = settled(before);
        for (double trust : new double[] {0, 0.5, 1}) {
            ControllerBench after = bench(4);
            after.controller.restore(learned, trust);
            after.serve(SHORT);
            assertAsGood(expected, after);
        }
    }

    @Test
    final void whatItNeverLearnedDoesNoHarm() {
        ControllerBench before = bench(WORKERS);
        before.serve(LONG);
        double expected = settled(before);
        Map<String, Double> learned = before.controller.learned();
        double[] garbage = {Double.NaN, -1, 0, 1e-300, 1e300, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY};
        SplittableRandom random = new SplittableRandom(1);
        for (double value : garbage) {
            Map<String, Double> spoilt = new HashMap<>(Map.of("unheard of", value));
            learned.forEach((name, good) -> spoilt.put(name, random.nextBoolean() ? value : good));
            for (double trust : new double[] {1, -1, 2, Double.NaN}) {
                ControllerBench after = bench(WORKERS);
                after.controller.restore(Map.of(), trust);
                after.controller.restore(spoilt, trust);
                after.serve(LONG);
                assertAsGood(expected, after);
            }
        }
    }
}
