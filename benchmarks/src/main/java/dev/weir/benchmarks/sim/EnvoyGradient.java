package dev.weir.benchmarks.sim;

import java.util.SplittableRandom;

/** Envoy's gradient controller: updates each 100 ms, minRTT each 60 s, the rest as its manual says. */
final class EnvoyGradient implements Candidate {
    private static final long UPDATE = 100_000_000L;
    private static final long REMEASURE = 60_000_000_000L;
    private static final long JITTER = REMEASURE * 15 / 100;
    private static final int MIN = 3;
    private static final int MAX = 1000;
    private static final int REQUESTS = 50;
    private static final int STUCK = 5;
    private static final double BUFFER = 0.25;

    private final double percentile;
    private final boolean pins;
    private final SplittableRandom random;
    private final Samples samples = new Samples();
    private int limit = MIN;
    private long minRtt;
    private boolean measuring = true;
    private int resumed = MIN;
    private long epoch;
    private long nextUpdate;
    private long nextMeasure;
    private int updatesAtMin;

    /**
     * @param percentile of a window's latencies that speaks for it, 0 to 1
     * @param pins whether the limit is held at its minimum while minRTT is measured, which is the default; else it is
     *     measured from live traffic ({@code min_concurrency_limit} set)
     */
    EnvoyGradient(double percentile, boolean pins, long seed) {
        this.percentile = percentile;
        this.pins = pins;
        this.random = new SplittableRandom(seed);
    }

    @Override
    public boolean admits(long now, int inFlight, int priority) {
        tick(now);
        return inFlight < limit;
    }

    @Override
    public void left(long now, long start, int inFlightThen, boolean late) {
        tick(now);
        if (start < epoch) {
            return;
        }
        samples.add(now - start);
        if (measuring && samples.size() >= REQUESTS) {
            measured(now);
        }
    }

    /* Between two requests nothing changes but the time, so timers that came due meanwhile run now, in their order. */
    private void tick(long now) {
        while (!measuring && Math.min(nextUpdate, nextMeasure) <= now) {
            if (nextMeasure <= nextUpdate) {
                measure(nextMeasure);
            } else {
                update();
                nextUpdate += UPDATE;
            }
        }
    }

    private void measure(long at) {
        measuring = true;
        resumed = limit;
        if (pins) {
            limit = MIN;
        }
        updatesAtMin = 0;
        samples.clear();
        epoch = at;
    }

    private void measured(long now) {
        minRtt = samples.quantile(percentile);
        samples.clear();
        measuring = false;
        limit = resumed;
        nextMeasure = now + REMEASURE + random.nextLong(JITTER);
        nextUpdate = now + UPDATE;
    }

    private void update() {
        if (samples.size() == 0) {
            return;
        }
        double gradient = minRtt * (1 + BUFFER) / samples.quantile(percentile);
        samples.clear();
        double scaled = limit * Math.max(0.5, Math.min(2, gradient));
        int before = limit;
        limit = Math.max(MIN, Math.min(MAX, (int) (scaled + Math.sqrt(scaled))));
        updatesAtMin = before == MIN && limit == MIN ? updatesAtMin + 1 : 0;
        if (updatesAtMin >= STUCK) {
            nextMeasure = nextUpdate;
        }
    }

    @Override
    public double limit() {
        return limit;
    }
}
