package dev.weir.benchmarks.sim;

import com.netflix.concurrency.limits.Limit;
import com.netflix.concurrency.limits.limit.VegasLimit;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Netflix's Vegas with its defaults, whose probes come at moments that the seed alone decides. */
final class SeededVegas implements Limit {
    /*
     * The library draws the moment of a probe from ThreadLocalRandom, which cannot be seeded. A probe keeps the limit,
     * forgets the least RTT and takes the next one for it: just what a new VegasLimit with that limit does with its
     * first sample. So each one here never probes, and a new one takes its place when a probe is due. The limit is a
     * whole number with the default smoothing of 1, so that nothing is lost.
     */
    private static final int PROBE_MULTIPLIER = 30;

    private final SplittableRandom random;
    private VegasLimit current = unprobed(20);
    private double jitter;
    private int samples;

    SeededVegas(long seed) {
        random = new SplittableRandom(seed);
        jitter = drawn();
    }

    private static VegasLimit unprobed(int limit) {
        return VegasLimit.newBuilder()
                .initialLimit(limit)
                .probeMultiplier(Integer.MAX_VALUE)
                .build();
    }

    private double drawn() {
        return 0.5 + 0.5 * random.nextDouble();
    }

    @Override
    public void onSample(long startTime, long rtt, int inflight, boolean didDrop) {
        samples++;
        if (jitter * PROBE_MULTIPLIER * current.getLimit() <= samples) {
            jitter = drawn();
            samples = 0;
            current = unprobed(current.getLimit());
        }
        current.onSample(startTime, rtt, inflight, didDrop);
    }

    @Override
    public int getLimit() {
        return current.getLimit();
    }

    @Override
    public void notifyOnChange(Consumer<Integer> consumer) {
        throw new UnsupportedOperationException("nobody listens to a simulated limit");
    }
}
