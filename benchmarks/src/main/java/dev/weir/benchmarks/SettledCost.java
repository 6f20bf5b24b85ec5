package dev.weir.benchmarks;

import static dev.weir.benchmarks.Expect.admitted;

import dev.weir.Decision;
import dev.weir.Limiter;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.TokenBucket;
import java.time.Duration;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A cost from a rate that always has it, and what it takes to settle it as less or as more. */
public class SettledCost {
    private static final long PLENTY = 1L << 50;
    private static final long ESTIMATE = 100;

    @State(Scope.Benchmark)
    public static class Weir {
        final Limiter limiter = Mixed.limiter(Settled.of(TokenBucket.of(PLENTY, Duration.ofSeconds(1))));
        final Request request = Request.ONE.settled(ESTIMATE);
    }

    private static boolean settled(Weir its, long actual) {
        return its.limiter.tryAcquire(its.request) instanceof Permit permit && admitted(permit.settle(actual));
    }

    @Benchmark
    public boolean weirLess(Weir its) {
        return settled(its, ESTIMATE / 2);
    }

    @Benchmark
    public boolean weirMore(Weir its) {
        return settled(its, 2 * ESTIMATE);
    }

    @Benchmark
    public Decision floorAcquire(Weir its) {
        return admitted(its.limiter.tryAcquire(its.request));
    }
}
