package dev.weir.benchmarks.sim;

/** The adaptive shedder of go-zero: most throughput times least RTT, scaled by the CPU, when that is above 90 %. */
final class GoZero implements Candidate {
    private static final int THRESHOLD = 900;
    private static final int FULL = 1000;
    private static final long SECOND = 1_000_000_000L;
    private static final int BUCKETS = 50;
    private static final int BUCKETS_PER_SECOND = 10;
    private static final double UNKNOWN_RT = 1000;

    private final Buckets buckets = new Buckets(BUCKETS, SECOND / BUCKETS_PER_SECOND);
    private long cpu;
    private long overloaded;
    private boolean dropped;
    private int flying;
    private double meanFlying;
    private double limit = Double.POSITIVE_INFINITY;

    @Override
    public boolean admits(long now, int inFlight, int priority) {
        limit = Double.POSITIVE_INFINITY;
        if (overloaded(now) || hot(now)) {
            double max = product(now) * factor();
            limit = max;
            if (meanFlying > max && inFlight > max) {
                dropped = true;
                return false;
            }
        }
        flying = inFlight + 1;
        return true;
    }

    private boolean overloaded(long now) {
        if (cpu >= THRESHOLD) {
            overloaded = now;
            return true;
        }
        return false;
    }

    private boolean hot(long now) {
        dropped = dropped && overloaded > 0 && now - overloaded < SECOND;
        return dropped;
    }

    private double product(long now) {
        double minRt = Math.min(UNKNOWN_RT, Math.floor(buckets.minMean(now) + 0.5));
        return Math.max(1, Math.max(1, buckets.max(now)) * minRt * BUCKETS_PER_SECOND / 1000);
    }

    private double factor() {
        return Math.max(0.1, Math.min(1, (double) (FULL - cpu) / (FULL - THRESHOLD)));
    }

    /* Its gRPC interceptor counts a call that ran out of time as failed, and a failed one is not measured. */
    @Override
    public void left(long now, long start, int inFlightThen, boolean late) {
        flying--;
        meanFlying = meanFlying * 0.9 + flying * 0.1;
        if (!late) {
            buckets.add(now, Math.ceil((now - start) / 1e6));
        }
    }

    /* It reads the CPU each quarter of a second, so a reading here stands for two. */
    @Override
    public void cpu(long now, double share) {
        long usage = (long) (share * FULL);
        cpu = smoothed(smoothed(cpu, usage), usage);
    }

    private static long smoothed(long before, long usage) {
        return (long) (before * 0.95 + usage * 0.05);
    }

    @Override
    public double limit() {
        return limit;
    }
}
