package dev.weir.benchmarks;

import static dev.weir.benchmarks.Expect.admitted;

import com.alibaba.csp.sentinel.slots.block.RuleConstant;
import com.netflix.concurrency.limits.Limiter.Listener;
import dev.weir.Decision;
import dev.weir.Limiter;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.algorithms.Semaphore;
import io.github.resilience4j.bulkhead.Bulkhead;
import java.util.Optional;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A permit taken and returned by the caller, with room to spare. */
public class ConcurrencyPermit {
    private static final int LIMIT = 64;

    @State(Scope.Benchmark)
    public static class Weir {
        final Limiter limiter = Mixed.limiter(new Semaphore(LIMIT));
    }

    @Benchmark
    public Decision weir(Weir its) {
        Decision decision = its.limiter.tryAcquire();
        admitted(decision instanceof Permit permit && permit.release(Outcome.SUCCESS));
        return decision;
    }

    @State(Scope.Benchmark)
    public static class Resilience4j {
        final Bulkhead bulkhead = ConcurrencyPeers.resilience4j(LIMIT);
    }

    @Benchmark
    public boolean resilience4j(Resilience4j its) {
        admitted(its.bulkhead.tryAcquirePermission());
        its.bulkhead.onComplete();
        return true;
    }

    @State(Scope.Benchmark)
    public static class Netflix {
        final com.netflix.concurrency.limits.Limiter<Void> limiter = ConcurrencyPeers.netflix(LIMIT);
    }

    @Benchmark
    public Object netflix(Netflix its) {
        Optional<Listener> listener = its.limiter.acquire(null);
        admitted(listener.isPresent());
        listener.get().onSuccess();
        return listener;
    }

    @State(Scope.Benchmark)
    public static class Failsafe {
        final dev.failsafe.Bulkhead<Object> bulkhead = ConcurrencyPeers.failsafe(LIMIT);
    }

    @Benchmark
    public boolean failsafe(Failsafe its) {
        admitted(its.bulkhead.tryAcquirePermit());
        its.bulkhead.releasePermit();
        return true;
    }

    @State(Scope.Benchmark)
    public static class Sentinel {
        final SentinelResource resource = new SentinelResource(RuleConstant.FLOW_GRADE_THREAD, LIMIT);
    }

    @Benchmark
    public boolean sentinel(Sentinel its) {
        return admitted(its.resource.enterAndExit());
    }

    @State(Scope.Benchmark)
    public static class Juc {
        final java.util.concurrent.Semaphore semaphore = ConcurrencyPeers.semaphore(LIMIT);
    }

    @Benchmark
    public boolean floorSemaphore(Juc its) {
        admitted(its.semaphore.tryAcquire());
        its.semaphore.release();
        return true;
    }
}
