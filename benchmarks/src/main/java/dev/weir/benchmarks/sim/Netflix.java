package dev.weir.benchmarks.sim;

import com.netflix.concurrency.limits.Limit;
import com.netflix.concurrency.limits.limit.AIMDLimit;
import com.netflix.concurrency.limits.limit.Gradient2Limit;
import com.netflix.concurrency.limits.limit.WindowedLimit;
import java.util.concurrent.TimeUnit;

/** A limit of Netflix's concurrency-limits, fed with virtual times; who comes late is told as dropped. */
record Netflix(Limit by) implements Candidate {
    /** As {@code SimpleLimiter} takes it: one sample a request. */
    static Netflix vegas(long seed) {
        return new Netflix(new SeededVegas(seed));
    }

    static Netflix vegasWindowed(long seed) {
        return windowed(new SeededVegas(seed));
    }

    static Netflix gradient2() {
        return new Netflix(Gradient2Limit.newDefault());
    }

    static Netflix gradient2Windowed() {
        return windowed(
                Gradient2Limit.newBuilder().minLimit(1).maxConcurrency(1000).build());
    }

    static Netflix gradient1Windowed(long seed) {
        return windowed(new SeededGradient(seed));
    }

    static Netflix aimd(long timeoutNanos) {
        return new Netflix(AIMDLimit.newBuilder()
                .timeout(timeoutNanos, TimeUnit.NANOSECONDS)
                .build());
    }

    private static Netflix windowed(Limit by) {
        return new Netflix(WindowedLimit.newBuilder().build(by));
    }

    @Override
    public boolean admits(long now, int inFlight, int priority) {
        return inFlight < by.getLimit();
    }

    @Override
    public void left(long now, long start, int inFlightThen, boolean late) {
        by.onSample(start, Math.max(1, now - start), inFlightThen, late);
    }

    @Override
    public double limit() {
        return by.getLimit();
    }
}
