package dev.weir.benchmarks.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** One and four instances before a server that can do all that is asked of it, at loads of 0.4 to 0.9. Drawn for each seed. */
final class Quiet {
    private static final double[] LOADS = {0.4, 0.6, 0.7, 0.8, 0.9};

    private Quiet() {}

    static List<Scenario> of(long seed) {
        List<Scenario> all = new ArrayList<>();
        for (int instances : new int[] {1, 4}) {
            for (double load : LOADS) {
                String name = "quiet_" + instances + "_at_" + load + "x";
                SplittableRandom random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + name.hashCode());
                double workers = Math.rint(Draws.between(random, 8, 48));
                double millis = Draws.between(random, 20, 160);
                all.add(Scenario.of(
                                name,
                                150,
                                millis * Draws.between(random, 6, 15),
                                Steps.always(load * workers * 1e3 / millis),
                                millis,
                                Scenario.Cpu.workers(workers),
                                workers)
                        .with(it -> it.fleet = Scenario.Fleet.of(instances)));
            }
        }
        return all;
    }
}
