package dev.weir.benchmarks.sim;

/** Sentinel's system rule on load1: above it, no more threads than best throughput times least RTT of the second. */
final class SentinelBbr implements Candidate {
    private static final long BUCKET = 500_000_000L;
    private static final long UNKNOWN_RT = 5000;
    /* What is left of load1 after half a second. */
    private static final double KEPT = StrictMath.exp(-0.5 / 60);

    private final double highestLoad;
    private final long[] numbers = {-1, -1};
    private final long[] ended = new long[2];
    private final long[] minRt = new long[2];
    private double load;
    private double limit = Double.POSITIVE_INFINITY;

    /** @param highestLoad the load over the last minute above which the rule looks; its manual advises 2.5 a core */
    SentinelBbr(double highestLoad) {
        this.highestLoad = highestLoad;
    }

    @Override
    public boolean admits(long now, int inFlight, int priority) {
        limit = Double.POSITIVE_INFINITY;
        if (load > highestLoad) {
            limit = Math.max(1, product(now / BUCKET));
        }
        return inFlight <= limit;
    }

    private double product(long present) {
        long max = 1;
        long min = UNKNOWN_RT;
        for (int slot = 0; slot < 2; slot++) {
            if (numbers[slot] >= 0 && present - numbers[slot] < 2) {
                max = Math.max(max, ended[slot]);
                min = Math.min(min, minRt[slot]);
            }
        }
        return 2 * max * Math.max(1, min) / 1000.0;
    }

    @Override
    public void left(long now, long start, int inFlightThen, boolean late) {
        long number = now / BUCKET;
        int slot = (int) (number % 2);
        if (numbers[slot] != number) {
            numbers[slot] = number;
            ended[slot] = 0;
            minRt[slot] = UNKNOWN_RT;
        }
        ended[slot]++;
        minRt[slot] = Math.min(minRt[slot], now / 1_000_000 - start / 1_000_000);
    }

    /* As the kernel averages its load, but each half second. */
    @Override
    public void load(long now, int runnable) {
        load = load * KEPT + runnable * (1 - KEPT);
    }

    @Override
    public double limit() {
        return limit;
    }
}
