package dev.weir.benchmarks.sim;

import com.netflix.concurrency.limits.Limit;
import com.netflix.concurrency.limits.limit.AIMDLimit;
import com.netflix.concurrency.limits.limit.WindowedLimit;
import java.util.concurrent.TimeUnit;

/**
 * A limit of Netflix's concurrency-limits, fed with virtual times as by its {@code SimpleLimiter}, one sample a request; who comes late is
 * told as dropped.
 */
record Netflix(Limit by) implements Candidate {
    static Netflix aimd(long timeoutNanos) {
        return new Netflix(AIMDLimit.newBuilder()
                .timeout(timeoutNanos, TimeUnit.NANOSECONDS)
                .build());
    }

    static Netflix windowed(Limit by) {
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
