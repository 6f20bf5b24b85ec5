package dev.weir.benchmarks;

import static dev.weir.benchmarks.Expect.admitted;

import dev.weir.Decision;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** One permit for many threads, of which those that run may overtake those that are blocked, for an hour at most. */
public class QueueHandoffUnfair {
    @State(Scope.Benchmark)
    public static class Weir {
        final AdmissionQueue queue =
                QueuePeers.weir(QueueSpec.of(100).unfair(IntervalFunction.of(Duration.ofMillis(50))));
    }

    @Benchmark
    public Decision weir(Weir its) throws InterruptedException {
        return QueuePeers.passThrough(its.queue);
    }

    @State(Scope.Benchmark)
    public static class Juc {
        final Semaphore semaphore = new Semaphore(1, false);
    }

    @Benchmark
    public boolean floorSemaphore(Juc its) throws InterruptedException {
        admitted(its.semaphore.tryAcquire(1, TimeUnit.HOURS));
        its.semaphore.release();
        return true;
    }

    @State(Scope.Benchmark)
    public static class Resilience4j {
        final Bulkhead bulkhead = QueuePeers.resilience4j(false);
    }

    @Benchmark
    public boolean resilience4j(Resilience4j its) {
        its.bulkhead.acquirePermission();
        its.bulkhead.onComplete();
        return true;
    }
}
