package dev.weir.benchmarks.sim;

/** What a run looked like, sampled at even intervals. */
final class Trail {
    final long interval;
    final double[] limit;
    final double[] inFlight;
    final double[] offered;
    final double[] served;

    Trail(Scenario scenario, int points) {
        interval = scenario.nanos() / points + 1;
        limit = new double[points];
        inFlight = new double[points];
        offered = new double[points];
        served = new double[points];
    }

    void stands(long now, double limitNow, int inFlightNow) {
        int point = (int) (now / interval);
        if (point < limit.length) {
            limit[point] = limitNow;
            inFlight[point] = inFlightNow;
        }
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
