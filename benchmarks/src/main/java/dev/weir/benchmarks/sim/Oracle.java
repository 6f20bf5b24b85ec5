package dev.weir.benchmarks.sim;

import java.util.ArrayList;
import java.util.List;

/**
 * The best that any limit known beforehand achieves: one of a grid, or where the best one moves, a clairvoyant. Where
 * some calls hold no worker, it knows them and limits the others only.
 */
final class Oracle {
    private static final int GRID = 32;
    private static final double LARGEST = 1500;
    private static final double[] FACTORS = {1, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20};
    private static final double[] EXTRAS = {0, 1, 2, 4, 8};

    private Oracle() {}

    static int goodput(Scenario scenario, Arrivals arrivals) {
        int best = 0;
        for (Candidate limit : limits(scenario)) {
            best = Math.max(
                    best,
                    new Run(scenario, arrivals, Doorman.of(limit, run -> run.inFlight() - run.waiting()), null)
                            .outcome()
                            .goodput());
        }
        return best;
    }

    static List<Candidate> limits(Scenario scenario) {
        List<Candidate> limits = new ArrayList<>();
        double before = 0;
        for (int i = 0; i < GRID; i++) {
            double limit = Math.rint(StrictMath.pow(LARGEST, i / (GRID - 1.0)));
            if (limit != before) {
                limits.add(new Fixed(limit));
            }
            before = limit;
        }
        if (scenario.moves()) {
            for (double factor : FACTORS) {
                for (double extra : EXTRAS) {
                    limits.add(new Clairvoyant(scenario.knee(), factor, extra));
                }
            }
        }
        return limits;
    }
}
