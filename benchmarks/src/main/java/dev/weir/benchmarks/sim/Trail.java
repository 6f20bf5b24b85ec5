package dev.weir.benchmarks.sim;

import java.util.Arrays;
import java.util.stream.Stream;

/** The record of a run, sampled at even intervals. */
final class Trail {
    static final int IN_A_SECOND = 4;

    final long interval;
    final double[] limit;
    final double[] inFlight;
    final double[] offered;
    final double[] served;
    private final Samples[] latencies;

    Trail(Scenario scenario, int points) {
        interval = scenario.nanos() / points + 1;
        limit = new double[points];
        inFlight = new double[points];
        offered = new double[points];
        served = new double[points];
        latencies = Stream.generate(Samples::new).limit(points).toArray(Samples[]::new);
    }

    /** A trail with so many points for each second. */
    static Trail fine(Scenario scenario) {
        return new Trail(scenario, (int) Math.ceil(scenario.seconds() * IN_A_SECOND));
    }

    /* The intervals are longer than the run together. */
    private int point(long now) {
        return (int) (now / interval);
    }

    void stands(long now, double limitNow, int inFlightNow) {
        limit[point(now)] = limitNow;
        inFlight[point(now)] = inFlightNow;
    }

    /** One that was admitted has left after so long. */
    void left(long now, long latency) {
        latencies[point(now)].add(latency);
    }

    /** The 99th percentile of each interval in milliseconds; NaN where nothing has left. */
    double[] p99Millis() {
        return Arrays.stream(latencies)
                .mapToDouble(some -> some.size() == 0 ? Double.NaN : some.quantile(0.99) / 1e6)
                .toArray();
    }

    void offered(long now) {
        offered[point(now)] += 1e9 / interval;
    }

    void served(long now) {
        served[point(now)] += 1e9 / interval;
    }
}
