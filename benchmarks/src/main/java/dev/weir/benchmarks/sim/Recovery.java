package dev.weir.benchmarks.sim;

/** The time until the goodput is back after a dependency has refused all for a while. */
final class Recovery {
    private static final double BACK = 0.9;

    private final Scenario scenario;
    private final Steps drops;

    private Recovery(Scenario scenario, Steps drops) {
        this.scenario = scenario;
        this.drops = drops;
    }

    /** True if there is something to recover from. */
    static boolean asked(Scenario scenario) {
        return scenario.drops() != null && !scenario.drops().constant();
    }

    /**
     * The seconds from the end of what was wrong to the first second with nine tenths of the goodput before; infinity
     * if there is none, NaN if nothing was wrong.
     */
    static double seconds(Scenario scenario, Trail trail) {
        return scenario.drops() == null || scenario.drops().constant()
                ? Double.NaN
                : new Recovery(scenario, scenario.drops()).seconds(trail);
    }

    private double seconds(Trail trail) {
        double before = mean(trail, 0, point(trail, drops.at().get(1)));
        double end = drops.at().get(drops.at().size() - 1);
        for (int i = point(trail, end); i + Trail.IN_A_SECOND <= trail.served.length; i++) {
            if (mean(trail, i, i + Trail.IN_A_SECOND) >= BACK * before) {
                return Math.max(0, i * scenario.seconds() / trail.served.length - end);
            }
        }
        return Double.POSITIVE_INFINITY;
    }

    private static int point(Trail trail, double second) {
        return (int) (second * 1e9 / trail.interval);
    }

    private static double mean(Trail trail, int from, int to) {
        double sum = 0;
        for (int i = from; i < to; i++) {
            sum += trail.served[i];
        }
        return sum / Math.max(1, to - from);
    }
}
