package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.benchmarks.sim.Scenario.Cpu;
import dev.weir.benchmarks.sim.Scenario.Mix;
import dev.weir.benchmarks.sim.Work.Apart;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Calls that are long and known to be: with a time-out of their own, holding a worker or none. */
class LongCallsTest {
    private static final Cpu ONE_WORKER = new Cpu(false, Steps.always(1), Steps.always(1), 0, 0);

    /* 10 a second: nine take 10 ms, one takes 2 s; the first give up after 100 ms, the other after 5 s. */
    private static Scenario mixed(boolean waits) {
        List<Work> work =
                List.of(new Work(0.9, "constant", 10, 0), new Work(0.1, "constant", 2000, 0, new Apart(5000, waits)));
        return new Scenario(
                "mixed",
                200,
                100,
                Steps.always(10),
                List.of(new Mix(0, work)),
                ONE_WORKER,
                null,
                0,
                List.of(1.0),
                Steps.always(1));
    }

    private static Run.Outcome unlimited(Scenario scenario) {
        Candidate none = new Fixed(Double.POSITIVE_INFINITY);
        return new Run(scenario, new Arrivals(scenario, 1), Doorman.of(none), null).outcome();
    }

    /* Two long ones are always inside, and one worker would do neither of them beside the short ones. */
    @Test
    void thoseThatWaitKeepNobodyFromAWorker() {
        Scenario scenario = mixed(true);
        Arrivals arrivals = new Arrivals(scenario, 1);
        Run.Outcome outcome = unlimited(scenario);
        assertEquals(0, outcome.late());
        assertTrue(outcome.goodput() > 0.98 * arrivals.count, outcome::toString);
        assertTrue(outcome.usual() < 0.92 * arrivals.count && outcome.usual() > 0.88 * arrivals.count);
    }

    @Test
    void thoseThatWorkKeepTheOthersWaiting() {
        Run.Outcome outcome = unlimited(mixed(false));
        assertTrue(outcome.usual() < 100, outcome::toString);
    }

    @Test
    void latencyIsMeasuredOnTheUsualCallsOnly() {
        Arrivals arrivals = new Arrivals(mixed(true), 1);
        assertEquals(10e6, arrivals.aloneP99);
        assertTrue(unlimited(mixed(true)).p99() < 100e6);
    }

    @Test
    void theOracleLimitsOnlyThoseThatHoldWorkers() {
        Scenario scenario = mixed(true);
        Arrivals arrivals = new Arrivals(scenario, 1);
        assertTrue(Oracle.goodput(scenario, arrivals) > 0.98 * arrivals.count);
    }

    @Test
    void withoutThemTheShortOnesComeAsOften() {
        Scenario rest = mixed(true).withoutWaiting();
        assertEquals(9, rest.arrivals().value(0), 1e-9);
        assertEquals(
                List.of(new Work(1, "constant", 10, 0)), rest.mixes().get(0).work());
    }

    @Test
    void aUniformSizeLiesAroundItsMean() {
        Work work = new Work(1, "uniform", 27_500, 1 / 11.0);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 10_000; i++) {
            double size = work.draw(random);
            assertTrue(size >= 25e9 && size <= 30e9, "" + size);
        }
        assertThrows(IllegalArgumentException.class, () -> new Work(1, "uniform", 1, 1.1));
        assertThrows(IllegalArgumentException.class, () -> new Apart(0, true));
    }
}
