package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.benchmarks.sim.Scenario.Cpu;
import dev.weir.benchmarks.sim.Scenario.Dependency;
import dev.weir.benchmarks.sim.Scenario.Mix;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The figures of the processors that a gate is told. */
class RunTest {
    /** Lets everybody in and listens. */
    private static final class Listener implements Candidate {
        final List<Double> shares = new ArrayList<>();
        final List<Integer> loads = new ArrayList<>();

        @Override
        public boolean admits(long now, int inFlight, int priority) {
            return true;
        }

        @Override
        public void left(long now, long start, int inFlightThen, boolean late) {}

        @Override
        public void cpu(long now, double share) {
            shares.add(share);
        }

        @Override
        public void load(long now, int runnable) {
            loads.add(runnable);
        }

        @Override
        public double limit() {
            return Double.POSITIVE_INFINITY;
        }

        double meanShare(int from, int to) {
            return shares.subList(from, to).stream()
                    .mapToDouble(share -> share)
                    .average()
                    .orElseThrow();
        }
    }

    private static Listener heard(Cpu cpu, Dependency dependency, double rate) {
        Scenario scenario = new Scenario(
                "heard",
                200,
                60_000,
                Steps.always(rate),
                List.of(new Mix(0, List.of(Work.exponential(1, 10)))),
                cpu,
                dependency,
                0,
                List.of(1.0),
                cpu.cores());
        Listener listener = new Listener();
        new Run(scenario, new Arrivals(scenario, 1), Doorman.of(listener), null).outcome();
        return listener;
    }

    /* 600 a second, each 10 ms: 6 cores' worth of work, of 8 and then of 32. */
    @Test
    void theShareIsOfTheCoresThereAreAtTheTime() {
        Cpu cpu = new Cpu(true, Steps.between(8, 100, 32, 201), Steps.always(1), 0, 0);
        Listener heard = heard(cpu, null, 600);
        assertEquals(6 / 8.0, heard.meanShare(0, 200), 0.02);
        assertEquals(6 / 32.0, heard.meanShare(200, 400), 0.01);
    }

    /* 1 of 8 cores is busy, while 100 a second wait 2 s for the dependency: 200 inside, but 1 runnable. */
    @Test
    void whoWaitsForTheDependencyIsNoLoad() {
        Cpu cpu = new Cpu(false, Steps.always(8), Steps.always(1), 0, 0);
        Listener heard = heard(cpu, new Dependency(2000, 0, Steps.always(1), Steps.always(1)), 100);
        assertEquals(1, heard.loads.stream().mapToInt(load -> load).average().orElseThrow(), 0.2);
    }
}
