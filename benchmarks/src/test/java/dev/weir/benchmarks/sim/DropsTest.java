package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.benchmarks.sim.Scenario.Backoff;
import dev.weir.benchmarks.sim.Scenario.Cpu;
import dev.weir.benchmarks.sim.Scenario.Mix;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Rejections from below, what comes of them, and when callers try again. */
class DropsTest {
    private static final Cpu WORKERS = new Cpu(false, Steps.always(16), Steps.always(1), 0, 0);

    private static Scenario dropping(@Nullable Steps drops, int retries, @Nullable Backoff backoff) {
        return new Scenario(
                "dropping",
                100,
                1000,
                Steps.always(100),
                List.of(new Mix(0, List.of(Work.exponential(1, 10)))),
                WORKERS,
                null,
                retries,
                List.of(1.0),
                Steps.always(16),
                drops,
                backoff,
                null);
    }

    private static Run.Outcome unlimited(Scenario scenario, @Nullable Trail trail) {
        Candidate none = new Fixed(Double.POSITIVE_INFINITY);
        return new Run(scenario, new Arrivals(scenario, 1), Doorman.of(none), trail).outcome();
    }

    @Test
    void aShareOfWhatIsLetInIsRefusedBelow() {
        Run.Outcome outcome = unlimited(dropping(Steps.always(0.3), 0, null), null);
        assertEquals(0.3, outcome.dropped() / (double) outcome.admitted(), 0.02);
        assertEquals(outcome.admitted(), outcome.dropped() + outcome.goodput(), 10);
        assertEquals(0, outcome.refused() + outcome.late());
    }

    @Test
    void theyChangeNothingOfWhatArrives() {
        Arrivals with = new Arrivals(dropping(Steps.always(0.3), 0, null), 1);
        Arrivals without = new Arrivals(dropping(null, 0, null), 1);
        assertEquals(
                List.of(with.count, with.at[99], with.cpu[99]),
                List.of(without.count, without.at[99], without.cpu[99]));
    }

    /* A third of a second between the two attempts of a request refused below, or up to half as long again or less. */
    @Test
    void whoIsRefusedBelowTriesAgainAfterTheBackoff() {
        List<Double> gaps = gaps(new Backoff(300, 0));
        assertTrue(gaps.stream().allMatch(gap -> Math.abs(gap - 300) < 1), gaps::toString);
        List<Double> jittered = gaps(new Backoff(300, 0.5));
        assertTrue(jittered.stream().allMatch(gap -> gap > 149 && gap < 451), jittered::toString);
        assertTrue(jittered.stream().mapToDouble(gap -> gap).max().orElseThrow() > 430);
        assertTrue(jittered.stream().mapToDouble(gap -> gap).min().orElseThrow() < 170);
    }

    private static List<Double> gaps(Backoff backoff) {
        Scenario scenario = dropping(Steps.always(1), 1, backoff);
        Arrivals arrivals = new Arrivals(scenario, 1);
        List<Double> gaps = new ArrayList<>();
        Doorman listening = new Doorman() {
            @Override
            public void arrives(Job job, Run run) {
                if (job.attempt == 1) {
                    gaps.add((run.now() - arrivals.at[job.request]) / 1e6);
                }
                run.enter(job);
            }

            @Override
            public void left(Job job, boolean late, Run run) {
                assertTrue(late, "the limit is told of a drop");
            }

            @Override
            public double limit() {
                return Double.POSITIVE_INFINITY;
            }
        };
        new Run(scenario, arrivals, listening, null).outcome();
        return gaps;
    }

    @Test
    void waitsDoubleTwice() {
        assertEquals(
                List.of(100_000_000L, 200_000_000L, 400_000_000L, 400_000_000L),
                List.of(0, 1, 2, 3).stream().map(n -> Backoff.USUAL.nanos(n, 1)).toList());
        assertThrows(IllegalArgumentException.class, () -> new Backoff(0, 0));
        assertThrows(IllegalArgumentException.class, () -> new Backoff(1, 1.1));
        assertThrows(IllegalArgumentException.class, () -> dropping(Steps.always(1.1), 0, null));
    }

    @Test
    void recoveryIsAtOnceWithoutALimitAndNeverBehindOneThatStaysSmall() {
        Scenario scenario = dropping(Steps.between(0, 30, 1, 50), 0, null);
        Trail trail = Trail.fine(scenario);
        unlimited(scenario, trail);
        assertEquals(0, Recovery.seconds(scenario, trail), 0.5);
        Trail shut = Trail.fine(scenario);
        Steps open = Steps.between(1e11, 40, 1e9 / 2, 101);
        Doorman shutting = Doorman.of(new Oracle.KnownKnee(open, 1e-9, 0));
        new Run(scenario, new Arrivals(scenario, 1), shutting, shut).outcome();
        assertEquals(Double.POSITIVE_INFINITY, Recovery.seconds(scenario, shut));
    }

    @Test
    void withoutAnEndThereIsNothingToRecoverFrom() {
        for (Scenario scenario : List.of(dropping(null, 0, null), dropping(Steps.always(0.3), 0, null))) {
            assertTrue(Double.isNaN(Recovery.seconds(scenario, Trail.fine(scenario))));
        }
    }
}
