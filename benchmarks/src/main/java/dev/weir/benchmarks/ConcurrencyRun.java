package dev.weir.benchmarks;

import static dev.weir.benchmarks.Expect.admitted;

import com.alibaba.csp.sentinel.slots.block.RuleConstant;
import com.netflix.concurrency.limits.Limiter.Listener;
import dev.failsafe.FailsafeExecutor;
import dev.weir.Limiter;
import dev.weir.algorithms.Semaphore;
import dev.weir.benchmarks.NamedLimit.Work;
import io.github.resilience4j.bulkhead.Bulkhead;
import java.util.Optional;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Work run under a permit that the library takes and returns, with room to spare. */
public class ConcurrencyRun {
    private static final int LIMIT = 64;

    @State(Scope.Benchmark)
    public static class Weir {
        final Limiter limiter = Mixed.limiter(new Semaphore(LIMIT));
    }

    @Benchmark
    public long weir(Weir its, Work work) {
        its.limiter.run(work);
        return work.done;
    }

    @State(Scope.Benchmark)
    public static class Resilience4j {
        final Bulkhead bulkhead = ConcurrencyPeers.resilience4j(LIMIT);
    }

    @Benchmark
    public long resilience4j(Resilience4j its, Work work) {
        its.bulkhead.executeRunnable(work);
        return work.done;
    }

    @State(Scope.Benchmark)
    public static class Netflix {
        final com.netflix.concurrency.limits.Limiter<Void> limiter = ConcurrencyPeers.netflix(LIMIT);
    }

    @Benchmark
    public long netflix(Netflix its, Work work) {
        Optional<Listener> listener = its.limiter.acquire(null);
        admitted(listener.isPresent());
        work.run();
        listener.get().onSuccess();
        return work.done;
    }

    @State(Scope.Benchmark)
    public static class Failsafe {
        final FailsafeExecutor<Object> executor = ConcurrencyPeers.failsafeExecutor(LIMIT);
    }

    @Benchmark
    public long failsafe(Failsafe its, Work work) {
        its.executor.run(work::run);
        return work.done;
    }

    @State(Scope.Benchmark)
    public static class Sentinel {
        final SentinelResource resource = new SentinelResource(RuleConstant.FLOW_GRADE_THREAD, LIMIT);
    }

    @Benchmark
    public long sentinel(Sentinel its, Work work) {
        admitted(its.resource.runInside(work));
        return work.done;
    }

    @State(Scope.Benchmark)
    public static class Juc {
        final java.util.concurrent.Semaphore semaphore = ConcurrencyPeers.semaphore(LIMIT);
    }

    @Benchmark
    public long floorSemaphore(Juc its, Work work) {
        admitted(its.semaphore.tryAcquire());
        try {
            work.run();
        } finally {
            its.semaphore.release();
        }
        return work.done;
    }
}
