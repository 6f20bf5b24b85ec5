package dev.weir.benchmarks;

import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A future enters the line behind a permit that does not come home: what is allocated is what a waiter weighs. */
public class QueueEnter {
    private static final int MOST = 1 << 18;

    @State(Scope.Thread)
    public static class Weir {
        private AdmissionQueue queue;
        private int waiting;

        @Setup(Level.Iteration)
        public void start() {
            if (queue != null) {
                queue.close();
            }
            ManagedLimiter limiter = Limiters.of("enter", new Semaphore(1));
            limiter.tryAcquire();
            queue = AdmissionQueue.before(limiter, QueueSpec.of(MOST));
            waiting = 0;
        }

        CompletableFuture<Decision> enter() {
            if (++waiting == MOST) {
                start();
            }
            return queue.acquireAsync(Request.ONE, Duration.ofHours(1));
        }
    }

    @Benchmark
    public CompletableFuture<Decision> weir(Weir its) {
        return its.enter();
    }

    @State(Scope.Thread)
    public static class HandMade {
        private ArrayDeque<CompletableFuture<Decision>> line = new ArrayDeque<>();

        CompletableFuture<Decision> enter(boolean timed) {
            if (line.size() == MOST) {
                line.forEach(future -> future.cancel(false));
                line = new ArrayDeque<>();
            }
            CompletableFuture<Decision> future = new CompletableFuture<>();
            line.add(future);
            return timed ? future.orTimeout(1, TimeUnit.HOURS) : future;
        }
    }

    @Benchmark
    public CompletableFuture<Decision> handMade(HandMade its) {
        return its.enter(true);
    }

    @Benchmark
    public CompletableFuture<Decision> floorFuture(HandMade its) {
        return its.enter(false);
    }
}
