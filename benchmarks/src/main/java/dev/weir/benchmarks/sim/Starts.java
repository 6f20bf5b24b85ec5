package dev.weir.benchmarks.sim;

import dev.weir.benchmarks.sim.Scenario.Cpu;
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
            workers = Math.rint(Draws.between(random, 10, 5000));
            millis = Draws.between(random, 10, 10_000);
            rate = load * workers * 1e3 / millis;
        } while (rate < MIN_RATE || rate > MAX_RATE);
        return Scenario.of(name, 60, 8 * millis, Steps.always(rate), millis, Cpu.workers(workers), workers);
    }
}
