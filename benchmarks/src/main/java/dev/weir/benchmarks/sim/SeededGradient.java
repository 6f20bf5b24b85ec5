package dev.weir.benchmarks.sim;

import com.netflix.concurrency.limits.Limit;
import com.netflix.concurrency.limits.limit.GradientLimit;
import com.netflix.concurrency.limits.limit.functions.SquareRootFunction;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Netflix's first Gradient with its defaults, whose probes come at moments that the seed alone decides. */
final class SeededGradient implements Limit {
    /*
     * As with SeededVegas: a probe puts the limit to the size of the queue that is allowed for, and forgets the least
     * RTT; the sample that brings it is not measured. A new GradientLimit that starts there stands in the same place.
     */
    private static final int PROBE_INTERVAL = 1000;
    private static final int NEVER = -1;

    private final SplittableRandom random;
    private GradientLimit current =
            GradientLimit.newBuilder().probeInterval(NEVER).build();
    private int untilProbe;

    SeededGradient(long seed) {
        random = new SplittableRandom(seed);
        untilProbe = drawn();
    }

    private int drawn() {
        return PROBE_INTERVAL + random.nextInt(PROBE_INTERVAL);
    }

    @Override
    public void onSample(long startTime, long rtt, int inflight, boolean didDrop) {
        if (untilProbe-- > 0) {
            current.onSample(startTime, rtt, inflight, didDrop);
            return;
        }
        untilProbe = drawn();
        int queue = SquareRootFunction.create(4).apply(current.getLimit());
        current = GradientLimit.newBuilder()
                .initialLimit(queue)
                .probeInterval(NEVER)
                .build();
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
