package dev.weir.benchmarks.sim;

import dev.weir.benchmarks.sim.Scenario.Cliff;
import dev.weir.benchmarks.sim.Scenario.Cpu;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Servers that do much less once a few more are inside: lock convoys, and thrashing that lasts until most have left. */
final class Cliffs {
    private static final int OF_EACH = 4;

    private Cliffs() {}

    static List<Scenario> of(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Scenario> all = new ArrayList<>();
        for (int i = 1; i <= OF_EACH; i++) {
            all.add(scenario("convoy_" + i, 1, random));
            all.add(scenario("thrash_" + i, 0.7, random));
        }
        return all;
    }

    /* At 1.44 times the edge a convoy of steepness 3 does 48 % of what it did there, as one that was measured. */
    private static Scenario scenario(String name, double back, SplittableRandom random) {
        double edge = Math.rint(Draws.between(random, 6, 40));
        double millis = Draws.between(random, 5, 50);
        Cliff cliff = new Cliff(edge, Draws.between(random, 2, 3.5), Math.max(1, Math.rint(back * edge)));
        return Scenario.of(
                name,
                120,
                12 * millis,
                Steps.always(1e3 * edge / millis * Draws.between(random, 1.1, 1.6)),
                millis,
                new Cpu(true, Steps.always(1e9), Steps.always(1), 0, 0, cliff),
                edge);
    }
}
