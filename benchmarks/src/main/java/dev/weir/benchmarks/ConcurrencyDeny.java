package dev.weir.benchmarks;

import static dev.weir.benchmarks.Expect.refused;

import com.alibaba.csp.sentinel.slots.block.RuleConstant;
import dev.weir.Decision;
import dev.weir.Limiter;
import dev.weir.algorithms.Semaphore;
import io.github.resilience4j.bulkhead.Bulkhead;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A rejection while the only permit is out. */
public class ConcurrencyDeny {
    @State(Scope.Benchmark)
    public static class Weir {
        final Limiter limiter = Mixed.limiter(new Semaphore(1));
        final Decision held = limiter.tryAcquire();
    }

    @Benchmark
    public Decision weir(Weir its) {
        return refused(its.limiter.tryAcquire());
    }

    @State(Scope.Benchmark)
    public static class Resilience4j {
        final Bulkhead bulkhead = ConcurrencyPeers.resilience4j(1);

        public Resilience4j() {
            bulkhead.acquirePermission();
        }
    }

    @Benchmark
    public boolean resilience4j(Resilience4j its) {
        return refused(!its.bulkhead.tryAcquirePermission());
    }

    @State(Scope.Benchmark)
    public static class Netflix {
        final com.netflix.concurrency.limits.Limiter<Void> limiter = ConcurrencyPeers.netflix(1);

        public Netflix() {
            limiter.acquire(null);
        }
    }

    @Benchmark
    public boolean netflix(Netflix its) {
        return refused(its.limiter.acquire(null).isEmpty());
    }

    @State(Scope.Benchmark)
    public static class Failsafe {
        final dev.failsafe.Bulkhead<Object> bulkhead = ConcurrencyPeers.failsafe(1);

        public Failsafe() {
            bulkhead.tryAcquirePermit();
        }
    }

    @Benchmark
    public boolean failsafe(Failsafe its) {
        return refused(!its.bulkhead.tryAcquirePermit());
    }

    @State(Scope.Benchmark)
    public static class Sentinel {
        final SentinelResource resource = new SentinelResource(RuleConstant.FLOW_GRADE_THREAD, 0);
    }

    @Benchmark
    public boolean sentinel(Sentinel its) {
        return refused(!its.resource.enterAndExit());
    }

    @State(Scope.Benchmark)
    public static class Juc {
        final java.util.concurrent.Semaphore semaphore = ConcurrencyPeers.semaphore(0);
    }

    @Benchmark
    public boolean floorSemaphore(Juc its) {
        return refused(!its.semaphore.tryAcquire());
    }
}
