package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.benchmarks.sim.Scenario.Cpu;
import dev.weir.benchmarks.sim.Scenario.Fleet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The sum of the limits of eight instances before one server, of which none knows of the others. */
class SumOfLimitsTest {
    private static final double MINUTE = 60;
    private static final double MOST = 4;

    /** 24 workers of 100 ms, asked for 1.3 times what they do. */
    private static Steadiness afterwards(String controller, double seconds, long clocks) {
        Scenario scenario = Scenario.of(
                        "eight",
                        seconds,
                        1000,
                        Steps.always(1.3 * 240),
                        100,
                        new Cpu(false, Steps.always(24), Steps.always(1), 0, 0),
                        24)
                .with(it -> it.fleet = Fleet.of(8));
        Contender contender = Ours.of(List.of(controller), List.of("none"), List.of(Weir.FIRST), clocks)
                .get(0);
        Trail trail = Trail.fine(scenario);
        Doorman doorman = Doormen.of(contender, scenario, 1);
        new Run(scenario, new Arrivals(scenario, 1), doorman, trail).outcome();
        return Steadiness.of(scenario, trail);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 50})
    void staysForTenMinutesIfClocksAreRightOrNearlySo(long clocks) {
        Steadiness lastHalf = afterwards("default", 10 * MINUTE, clocks);
        assertTrue(lastHalf.drift() >= 0.8 && lastHalf.drift() <= 1.25, lastHalf::toString);
        assertTrue(lastHalf.inFlight() <= MOST, lastHalf::toString);
    }

    /** The broken twin: each has the controller of a limit that is the only one. */
    @Test
    void growsWithinTwoMinutesIfEachIsTakenForTheOnlyOne() {
        Steadiness lastHalf = afterwards("alone", 2 * MINUTE, 0);
        assertTrue(lastHalf.inFlight() > MOST, lastHalf::toString);
    }

    /** Clocks so far apart that the limits are not low at the same time. */
    @Test
    void growsIfClocksAreWrongByTenSeconds() {
        Steadiness lastHalf = afterwards("default", 10 * MINUTE, 10_000);
        assertTrue(lastHalf.inFlight() > MOST, lastHalf::toString);
    }
}
