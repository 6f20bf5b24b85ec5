package dev.weir.benchmarks.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** A chart of limit, in flight, goodput and latency of some contenders and the oracle over the time of one scenario. */
final class Picture {
    private static final int POINTS = 240;

    private Picture() {}

    static Chart of(Scenario scenario, long seed, List<Contender> contenders) {
        Arrivals arrivals = new Arrivals(scenario, seed);
        long[] at = moments(scenario);
        List<Series> limits = new ArrayList<>();
        List<Series> goodputs = new ArrayList<>();
        List<Series> latencies = new ArrayList<>();
        Trail oracle = new Trail(scenario, POINTS);
        new Run(scenario, arrivals, Oracle.best(scenario, arrivals), oracle).outcome();
        for (Contender contender : contenders) {
            Trail trail = new Trail(scenario, POINTS);
            new Run(scenario, arrivals, Doormen.of(contender, scenario, seed), trail).outcome();
            limits.add(new Series(contender.name() + ": limit", at, carried(trail.limit, trail.limit)));
            limits.add(new Series(contender.name() + ": in flight", at, carried(trail.inFlight, trail.limit)));
            goodputs.add(new Series(contender.name(), at, trail.served));
            latencies.add(new Series(contender.name(), at, trail.p99Millis()));
        }
        double[] knee = Arrays.stream(at).mapToDouble(scenario.knee()::at).toArray();
        double tallest = 50 + 16 * Arrays.stream(knee).max().orElse(0);
        return new Chart(
                scenario.name() + ", seed " + seed,
                List.of(
                        new Chart.Panel(
                                "limit and in flight (requests)",
                                List.of(
                                        new Series("what the server can use", at, knee),
                                        new Series("oracle: limit", at, carried(oracle.limit, oracle.limit))),
                                limits,
                                tallest),
                        new Chart.Panel(
                                "goodput (requests/s)",
                                List.of(
                                        new Series("offered", at, offered(scenario, arrivals)),
                                        new Series("oracle", at, oracle.served)),
                                goodputs),
                        new Chart.Panel(
                                "p99 of what was let in, when it left (ms)",
                                List.of(new Series("oracle", at, oracle.p99Millis())),
                                latencies,
                                3 * scenario.timeoutMillis())));
    }

    /** The middles of the trail's intervals. */
    private static long[] moments(Scenario scenario) {
        long interval = new Trail(scenario, POINTS).interval;
        return IntStream.range(0, POINTS)
                .mapToLong(i -> i * interval + interval / 2)
                .toArray();
    }

    private static double[] offered(Scenario scenario, Arrivals arrivals) {
        Trail trail = new Trail(scenario, POINTS);
        for (long at : arrivals.at) {
            trail.offered(at);
        }
        return trail.offered;
    }

    /* An interval in which nobody came in or left says nothing, not even a limit; what was before still holds. */
    private static double[] carried(double[] values, double[] limit) {
        double[] carried = values.clone();
        for (int i = 1; i < carried.length; i++) {
            if (limit[i] == 0) {
                carried[i] = carried[i - 1];
            }
        }
        return carried;
    }
}
