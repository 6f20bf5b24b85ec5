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

    void stands(long now, double limitNow, int inFlightNow) {
        int point = (int) (now / interval);
        if (point < limit.length) {
            limit[point] = limitNow;
            inFlight[point] = inFlightNow;
        }
    }

    /** One that was admitted has left after so long. */
    void left(long now, long latency) {
        int point = (int) (now / interval);
        if (point < latencies.length) {
            latencies[point].add(latency);
        }
    }

    /** The 99th percentile of each interval in milliseconds; NaN where nothing has left. */
    double[] p99Millis() {
        return Arrays.stream(latencies)
                .mapToDouble(some -> some.size() == 0 ? Double.NaN : some.quantile(0.99) / 1e6)
                .toArray();
    }

    void offered(long now) {
        int point = (int) (now / interval);
        if (point < offered.length) {
            offered[point] += 1e9 / interval;
        }
    }

    void served(long now) {
        int point = (int) (now / interval);
        if (point < served.length) {
            served[point] += 1e9 / interval;
        }
    }
}
