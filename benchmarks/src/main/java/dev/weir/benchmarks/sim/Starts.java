package dev.weir.benchmarks.sim;

import dev.weir.benchmarks.sim.Scenario.Cpu;
import dev.weir.benchmarks.sim.Scenario.Fleet;
import dev.weir.benchmarks.sim.Scenario.Mix;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** The first minute of services of all sizes, of which the limit knows nothing yet. Drawn for each seed. */
final class Starts {
    private static final double[] LOADS = {0.3, 0.7, 0.9, 1.2};
    private static final int OF_EACH = 5;
    private static final double MAX_RATE = 2500;
    private static final double MIN_RATE = 2;

    private Starts() {}

    static List<Scenario> of(long seed) {
        List<Scenario> all = new ArrayList<>();
        for (double load : LOADS) {
            SplittableRandom random = new SplittableRandom(seed ^ Double.hashCode(load) * 0x9E3779B97F4A7C15L);
            for (int i = 1; i <= OF_EACH; i++) {
                all.add(scenario(i + "_at_" + load + "x", load, random));
            }
        }
        return all;
    }

    private static Scenario scenario(String name, double load, SplittableRandom random) {
        double workers;
        double millis;
        double rate;
        do {
            workers = Math.rint(between(random, 10, 5000));
            millis = between(random, 10, 10_000);
            rate = load * workers * 1e3 / millis;
        } while (rate < MIN_RATE || rate > MAX_RATE);
        return new Scenario(
                name,
                60,
                8 * millis,
                Steps.always(rate),
                List.of(new Mix(0, List.of(Work.exponential(1, millis)))),
                new Cpu(false, Steps.always(workers), Steps.always(1), 0, 0),
                null,
                0,
                List.of(1.0),
                Steps.always(workers),
                null,
                null,
                Fleet.of(1));
    }

    /* Evenly on the logarithm. */
    private static double between(SplittableRandom random, double min, double max) {
        return min * StrictMath.pow(max / min, random.nextDouble());
    }
}
