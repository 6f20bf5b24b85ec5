package dev.weir.benchmarks;

import static dev.weir.benchmarks.Expect.admitted;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** One permit that goes round among threads, all but one of which are blocked. */
public class QueueHandoff {
    private static final Duration LONG = Duration.ofHours(1);

    private static Decision passThrough(AdmissionQueue queue) throws InterruptedException {
        Decision decision = queue.acquire(Request.ONE, LONG);
        admitted(decision instanceof Permit permit && permit.release(Outcome.SUCCESS));
        return decision;
    }

    @State(Scope.Benchmark)
    public static class Fair {
        final AdmissionQueue queue = AdmissionQueue.before(Limiters.of("fair", new Semaphore(1)), QueueSpec.of(100));
    }

    @Benchmark
    public Decision weir(Fair its) throws InterruptedException {
        return passThrough(its.queue);
    }

    @State(Scope.Benchmark)
    public static class Unfair {
        final AdmissionQueue queue = AdmissionQueue.before(
                Limiters.of("unfair", new Semaphore(1)),
                QueueSpec.of(100).unfair(IntervalFunction.of(Duration.ofMillis(50))));
    }

    @Benchmark
    public Decision weirUnfair(Unfair its) throws InterruptedException {
        return passThrough(its.queue);
    }

    @State(Scope.Benchmark)
    public static class Juc {
        final java.util.concurrent.Semaphore fair = new java.util.concurrent.Semaphore(1, true);
        final java.util.concurrent.Semaphore unfair = new java.util.concurrent.Semaphore(1);
    }

    @Benchmark
    public boolean floorSemaphoreFair(Juc its) throws InterruptedException {
        its.fair.acquire();
        its.fair.release();
        return true;
    }

    @Benchmark
    public boolean floorSemaphore(Juc its) throws InterruptedException {
        its.unfair.acquire();
        its.unfair.release();
        return true;
    }

    @State(Scope.Benchmark)
    public static class Resilience4j {
        final Bulkhead fair = bulkhead(true);
        final Bulkhead unfair = bulkhead(false);

        private static Bulkhead bulkhead(boolean fair) {
            return Bulkhead.of(
                    "measured",
                    BulkheadConfig.custom()
                            .maxConcurrentCalls(1)
                            .maxWaitDuration(LONG)
                            .fairCallHandlingStrategyEnabled(fair)
                            .build());
        }
    }

    @Benchmark
    public boolean resilience4jFair(Resilience4j its) {
        its.fair.acquirePermission();
        its.fair.onComplete();
        return true;
    }

    @Benchmark
    public boolean resilience4jUnfair(Resilience4j its) {
        its.unfair.acquirePermission();
        its.unfair.onComplete();
        return true;
    }
}
