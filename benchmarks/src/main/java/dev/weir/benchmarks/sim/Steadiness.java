package dev.weir.benchmarks.sim;

import java.util.Arrays;

/**
 * The behaviour of the limits of a fleet in the last half of a run.
 *
 * @param inFlight the median in flight, all instances together, to the true knee
 * @param drift the mean in flight of the last quarter to that of the one before: 1 = no drift
 * @param moves of the sum of the limits by more than a twentieth, a minute
 */
record Steadiness(double inFlight, double drift, double moves) {
    static final Steadiness UNKNOWN = new Steadiness(Double.NaN, Double.NaN, Double.NaN);
    private static final double MOVE = 0.05;

    static Steadiness of(Scenario scenario, Trail trail) {
        double[] limit = held(trail.limit);
        double[] inFlight = held(trail.inFlight);
        int points = limit.length;
        double[] toKnee = new double[points - points / 2];
        int moves = 0;
        for (int i = points / 2; i < points; i++) {
            toKnee[i - points / 2] = inFlight[i] / scenario.knee().at(i * trail.interval);
            moves += Math.abs(limit[i] / limit[i - 1] - 1) > MOVE ? 1 : 0;
        }
        Arrays.sort(toKnee);
        double before = mean(inFlight, points / 2, points * 3 / 4);
        return new Steadiness(
                toKnee[toKnee.length / 2],
                mean(inFlight, points * 3 / 4, points) / Math.max(1, before),
                moves * 60.0 / (scenario.seconds() / 2));
    }

    /* Where nothing happened in an interval, what stood before still does. */
    private static double[] held(double[] values) {
        double[] held = values.clone();
        for (int i = 1; i < held.length; i++) {
            held[i] = held[i] == 0 ? held[i - 1] : held[i];
        }
        return held;
    }

    private static double mean(double[] values, int from, int to) {
        return Arrays.stream(values, from, to).average().orElse(Double.NaN);
    }
}
