package dev.weir.benchmarks;

import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * Futures enter the queue behind a permit that is not released, until the queue is closed: what is allocated for each
 * is at least what it weighs as long as it waits.
 */
public class QueueEnter {
    private static final int LINE = 1 << 10;

    @State(Scope.Thread)
    public static class Weir {
        private final ManagedLimiter limiter = Limiters.of("enter", new Semaphore(1));

        public Weir() {
            limiter.tryAcquire();
        }
    }

    @Benchmark
    @OperationsPerInvocation(LINE)
    public CompletableFuture<Decision> weir(Weir its) {
        AdmissionQueue queue = AdmissionQueue.builder("enter", its.limiter, QueueSpec.of(LINE))
                .executor(Runnable::run)
                .build();
        CompletableFuture<Decision> last = null;
        for (int i = 0; i < LINE; i++) {
            last = queue.acquireAsync(Request.ONE, QueuePeers.LONG);
        }
        queue.close();
        return last;
    }

    private static boolean handMade(boolean timed) {
        ArrayDeque<CompletableFuture<Decision>> line = new ArrayDeque<>();
        for (int i = 0; i < LINE; i++) {
            CompletableFuture<Decision> future = new CompletableFuture<>();
            line.add(timed ? future.orTimeout(1, TimeUnit.HOURS) : future);
        }
        boolean all = true;
        for (CompletableFuture<Decision> future : line) {
            all &= future.complete(null);
        }
        return all;
    }

    @Benchmark
    @OperationsPerInvocation(LINE)
    public boolean handMade() {
        return handMade(true);
    }

    @Benchmark
    @OperationsPerInvocation(LINE)
    public boolean floorUntimed() {
        return handMade(false);
    }
}
