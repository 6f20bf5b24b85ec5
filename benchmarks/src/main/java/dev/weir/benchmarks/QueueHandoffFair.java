package dev.weir.benchmarks;

import static dev.weir.benchmarks.Expect.admitted;

import dev.weir.Decision;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import io.github.resilience4j.bulkhead.Bulkhead;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** One permit that goes round among threads in order of arrival: all but one are blocked, for an hour at most. */
public class QueueHandoffFair {
    @State(Scope.Benchmark)
    public static class Weir {
        final AdmissionQueue queue = QueuePeers.weir(QueueSpec.of(100));
    }

    @Benchmark
    public Decision weir(Weir its) throws InterruptedException {
        return QueuePeers.passThrough(its.queue);
    }

    @State(Scope.Benchmark)
    public static class Juc {
        final Semaphore semaphore = new Semaphore(1, true);
    }

    @Benchmark
    public boolean floorSemaphore(Juc its) throws InterruptedException {
        admitted(its.semaphore.tryAcquire(1, TimeUnit.HOURS));
        its.semaphore.release();
        return true;
    }

    @State(Scope.Benchmark)
    public static class Resilience4j {
        final Bulkhead bulkhead = QueuePeers.resilience4j(true);
    }

    @Benchmark
    public boolean resilience4j(Resilience4j its) {
        its.bulkhead.acquirePermission();
        its.bulkhead.onComplete();
        return true;
    }

    @State(Scope.Benchmark)
    public static class Failsafe {
        final dev.failsafe.Bulkhead<Object> bulkhead =
                dev.failsafe.Bulkhead.builder(1).build();
    }

    @Benchmark
    public boolean failsafe(Failsafe its) throws InterruptedException {
        admitted(its.bulkhead.tryAcquirePermit(QueuePeers.LONG));
        its.bulkhead.releasePermit();
        return true;
    }
}
