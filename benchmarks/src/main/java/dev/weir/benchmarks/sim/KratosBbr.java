package dev.weir.benchmarks.sim;

/** The BBR limiter of Kratos (aegis): nothing while the CPU is below 80 %, else most throughput times least RTT. */
final class KratosBbr implements Candidate {
    private static final int THRESHOLD = 800;
    private static final double DECAY = 0.95;
    private static final long SECOND = 1_000_000_000L;
    private static final int BUCKETS = 100;
    private static final int BUCKETS_PER_SECOND = 10;

    private final Buckets buckets = new Buckets(BUCKETS, SECOND / BUCKETS_PER_SECOND);
    private long cpu;
    private long firstDrop;
    private double limit = Double.POSITIVE_INFINITY;

    @Override
    public boolean admits(long now, int inFlight, int priority) {
        limit = Double.POSITIVE_INFINITY;
        boolean hot = cpu >= THRESHOLD;
        if (!hot && (firstDrop == 0 || now - firstDrop > SECOND)) {
            firstDrop = 0;
            return true;
        }
        limit = Math.max(1, product(now));
        boolean admitted = inFlight <= limit;
        if (hot && !admitted && firstDrop == 0) {
            firstDrop = now;
        }
        return admitted;
    }

    private double product(long now) {
        double min = buckets.minMean(now);
        double minRt = Double.isInfinite(min) ? 1 : Math.max(1, Math.ceil(min));
        return Math.floor(Math.max(1, buckets.max(now)) * minRt * BUCKETS_PER_SECOND / 1000);
    }

    @Override
    public void left(long now, long start, int inFlightThen, boolean late) {
        buckets.add(now, (now - start) / 1_000_000);
    }

    @Override
    public void cpu(long now, double share) {
        cpu = (long) (cpu * DECAY + Math.min(1000, (long) (share * 1000)) * (1 - DECAY));
    }

    @Override
    public double limit() {
        return limit;
    }
}
