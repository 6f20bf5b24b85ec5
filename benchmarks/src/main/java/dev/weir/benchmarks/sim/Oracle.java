package dev.weir.benchmarks.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The best that a limit can achieve which knows the scenario: the best of a grid of fixed limits and, where the server
 * changes, of limits that follow its true knee. Some calls hold no worker: it knows which, and limits only the others.
 */
final class Oracle {
    private static final int GRID = 32;
    private static final double LARGEST = 1500;
    private static final double FAR = 3;
    private static final double[] FACTORS = {1, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20};
    private static final double[] EXTRAS = {0, 1, 2, 4, 8};

    private Oracle() {}

    static int goodput(Scenario scenario, Arrivals arrivals) {
        return goodputs(scenario, arrivals).max().orElse(0);
    }

    private static IntStream goodputs(Scenario scenario, Arrivals arrivals) {
        return limits(scenario).stream()
                .mapToInt(limit -> new Run(scenario, arrivals, knowing(limit), null)
                        .outcome()
                        .goodput());
    }

    /** The one that achieves it, unused; the first of several. */
    static Doorman best(Scenario scenario, Arrivals arrivals) {
        int[] goodputs = goodputs(scenario, arrivals).toArray();
        int best = 0;
        for (int i = 1; i < goodputs.length; i++) {
            best = goodputs[i] > goodputs[best] ? i : best;
        }
        return knowing(limits(scenario).get(best));
    }

    private static Doorman knowing(Candidate limit) {
        return Doorman.of(limit, (run, job) -> run.inFlight() - run.waiting());
    }

    private static List<Candidate> limits(Scenario scenario) {
        List<Candidate> limits = new ArrayList<>();
        double before = 0;
        double largest = scenario.knee().max() > LARGEST ? FAR * scenario.knee().max() : LARGEST;
        for (int i = 0; i < GRID; i++) {
            double limit = Math.rint(StrictMath.pow(largest, i / (GRID - 1.0)));
            if (limit != before) {
                limits.add(new Fixed(limit));
            }
            before = limit;
        }
        if (scenario.moves()) {
            for (double factor : FACTORS) {
                for (double extra : EXTRAS) {
                    limits.add(new KnownKnee(scenario.knee(), factor, extra));
                }
            }
        }
        return limits;
    }

    /** A limit that follows the true knee of the server, which it knows at each moment. */
    static final class KnownKnee implements Candidate {
        private final Steps knee;
        private final double factor;
        private final double extra;
        private long seen;

        KnownKnee(Steps knee, double factor, double extra) {
            this.knee = knee;
            this.factor = factor;
            this.extra = extra;
        }

        @Override
        public boolean admits(long now, int inFlight, int priority) {
            seen = now;
            return inFlight < limit();
        }

        @Override
        public void left(long now, long start, int inFlightThen, boolean late) {}

        @Override
        public double limit() {
            return Math.ceil(factor * knee.at(seen) + extra);
        }
    }
}
