package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The course of the default controller's limit in services where a goodput alone would not show what went wrong. */
class TracesTest {
    private static final int IN_A_SECOND = 4;

    private static Trail trail(String name, long seed) {
        Scenario scenario = scenario(name, seed);
        Trail trail = new Trail(scenario, (int) Math.ceil(scenario.seconds() * IN_A_SECOND));
        outcome(scenario, seed, trail);
        return trail;
    }

    private static Run.Outcome outcome(Scenario scenario, long seed, Trail trail) {
        Contender ours = Contender.OURS.get(0);
        return new Run(scenario, new Arrivals(scenario, seed), ours.made().apply(scenario, seed), trail).outcome();
    }

    private static Scenario scenario(String name, long seed) {
        return ScenarioSet.SUITE.of(seed).stream()
                .filter(scenario -> scenario.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Scenario workers(
            String name, double seconds, double timeout, Steps arrivals, int workers, Work... work) {
        Steps count = Steps.always(workers);
        Scenario.Cpu cpu = new Scenario.Cpu(false, count, Steps.always(1), 0, 0);
        List<Scenario.Mix> mixes = List.of(new Scenario.Mix(0, List.of(work)));
        return new Scenario(name, seconds, timeout, arrivals, mixes, cpu, null, 0, List.of(1.0), count);
    }

    private static double[] seconds(double[] points, double from, double to) {
        return Arrays.copyOfRange(points, (int) (from * IN_A_SECOND), (int) (to * IN_A_SECOND));
    }

    /** Of sixteen shared processors a neighbour leaves 40 to 100 %. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void besideANeighbourTheFirstSecondsDoNotSwing(long seed) {
        Trail trail = trail("noisy_neighbor", seed);
        double[] limits = seconds(trail.limit, 0, 4);
        double[] inside = seconds(trail.inFlight, 0, 4);
        for (int i = 0; i < limits.length; i++) {
            assertTrue(limits[i] >= 8 && inside[i] <= 60, () -> Arrays.toString(limits) + Arrays.toString(inside));
        }
        double max = Arrays.stream(limits).max().orElseThrow();
        assertTrue(max <= 80, () -> Arrays.toString(limits));
    }

    /** Ten seconds at a quarter of the speed, in which callers try again up to three times. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void afterAStormOfRetriesItIsBackWithinTwoSeconds(long seed) {
        Trail trail = trail("retry_storm", seed);
        double before = Arrays.stream(seconds(trail.served, 10, 20)).average().orElseThrow();
        double after = Arrays.stream(seconds(trail.served, 31, 32)).average().orElseThrow();
        assertTrue(after >= 0.9 * before, () -> after + "/s after, " + before + "/s before");
    }

    /** Four workers of half a second a call, asked for 1.6 times what they can do; callers wait for four seconds. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void atALowRateHardlyAnythingIsLate(long seed) {
        Scenario scenario = scenario("low_rate", seed);
        Trail trail = new Trail(scenario, (int) Math.ceil(scenario.seconds() * IN_A_SECOND));
        Run.Outcome outcome = outcome(scenario, seed, trail);
        assertTrue(outcome.late() <= 0.002 * outcome.admitted(), outcome::toString);
        double max = Arrays.stream(trail.inFlight).max().orElseThrow();
        assertTrue(max <= 28, () -> max + " in flight");
    }

    /**
     * One call in fifty takes a hundred times as long as the others; which ones come at once differs by the seed. Joint dips cost
     * a little more than a hundredth.
     */
    @ParameterizedTest
    @CsvSource({"alone, 0.9", "default, 0.88"})
    void serviceTimesOfOneToAHundredGetHeadroom(String controller, double least) {
        Scenario varied = workers(
                "one_to_a_hundred",
                60,
                5000,
                Steps.always(1.5 * 16 / 0.0298),
                16,
                Work.exponential(0.98, 10),
                Work.exponential(0.02, 1000));
        Contender ours = Ours.of(List.of(controller), List.of("none"), List.of(Weir.FIRST), 0)
                .get(0);
        double sum = 0;
        for (long seed = 1; seed <= 6; seed++) {
            Arrivals arrivals = new Arrivals(varied, seed);
            Doorman doorman = ours.made().apply(varied, seed);
            double goodput = new Run(varied, arrivals, doorman, null).outcome().goodput();
            sum += goodput / Oracle.goodput(varied, arrivals);
        }
        double mean = sum / 6;
        assertTrue(mean >= least, () -> mean + " of the oracle's");
    }

    /** Two workers of half a second a call, asked for half of what they do, and for 32 at once each 30 s; callers wait for 4 s. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void ofBurstsOnTwoSlowWorkersLittleIsLate(long seed) {
        List<Double> at = new ArrayList<>(List.of(0.0));
        List<Double> rate = new ArrayList<>(List.of(2.0));
        for (double burst = 30; burst < 300; burst += 30) {
            at.addAll(List.of(burst, burst + 0.1));
            rate.addAll(List.of(322.0, 2.0));
        }
        Scenario bursts = workers("slow_bursts", 300, 4000, new Steps(at, rate), 2, Work.exponential(1, 500));
        Run.Outcome outcome = outcome(bursts, seed, new Trail(bursts, 1));
        assertTrue(outcome.late() <= 0.15 * outcome.admitted(), outcome::toString);
    }

    /** A pause of the collector: 0.4 s each 20 s, at a tenth and at half of what 30 workers do. */
    @ParameterizedTest
    @ValueSource(doubles = {0.1, 0.5})
    void shortPausesAtALowLoadRefuseLittle(double load) {
        Steps speed = Steps.every(0.4, 300, second -> second % 20 < 0.4 ? 0 : 1);
        Steps workers = Steps.always(30);
        Scenario pauses = new Scenario(
                "pauses",
                300,
                1000,
                Steps.always(load * 3000),
                List.of(new Scenario.Mix(0, List.of(Work.exponential(1, 10)))),
                new Scenario.Cpu(false, workers, speed, 0, 0),
                null,
                0,
                List.of(1.0),
                workers);
        for (long seed = 1; seed <= 3; seed++) {
            Run.Outcome outcome = outcome(pauses, seed, new Trail(pauses, 1));
            double goodput = (double) outcome.goodput() / new Arrivals(pauses, seed).count;
            assertTrue(goodput >= 0.93, () -> goodput + " of what is asked for");
        }
    }
}
