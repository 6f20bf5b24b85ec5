package dev.weir.benchmarks;

import static dev.weir.benchmarks.Expect.admitted;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The only permit is in use, futures wait, and it is released: each is granted it, and releases it, in turn. */
public class QueueAsyncGrant {
    private static final int LINE = 64;
    private static final Duration LONG = Duration.ofHours(1);
    private static final Executor DIRECT = Runnable::run;

    @State(Scope.Thread)
    public static class Weir {
        final ManagedLimiter limiter = Limiters.of("async", new Semaphore(1));
        final AdmissionQueue queue = AdmissionQueue.builder("async", limiter, QueueSpec.of(LINE))
                .executor(DIRECT)
                .build();
        int granted;

        void granted(Decision decision) {
            granted++;
            ((Permit) decision).release(Outcome.SUCCESS);
        }
    }

    @Benchmark
    @OperationsPerInvocation(LINE)
    public int weir(Weir its) {
        Decision held = its.limiter.tryAcquire();
        its.granted = 0;
        for (int i = 0; i < LINE; i++) {
            its.queue.acquireAsync(Request.ONE, LONG).thenAccept(its::granted);
        }
        ((Permit) held).close();
        admitted(its.granted == LINE);
        return its.granted;
    }

    @State(Scope.Thread)
    public static class OfFailsafe {
        final dev.failsafe.Bulkhead<Object> bulkhead =
                dev.failsafe.Bulkhead.builder(1).withMaxWaitTime(LONG).build();
        final FailsafeExecutor<Object> failsafe = Failsafe.with(bulkhead).with(DIRECT);
        final CompletableFuture<?>[] line = new CompletableFuture<?>[LINE];
        volatile int granted;
    }

    @Benchmark
    @OperationsPerInvocation(LINE)
    public int failsafe(OfFailsafe its) {
        admitted(its.bulkhead.tryAcquirePermit());
        its.granted = 0;
        for (int i = 0; i < LINE; i++) {
            its.line[i] = its.failsafe.runAsync(() -> its.granted++);
        }
        its.bulkhead.releasePermit();
        for (CompletableFuture<?> run : its.line) {
            run.join();
        }
        admitted(its.granted == LINE);
        return its.granted;
    }

    /** A queue written by hand, as without a library: a deque of futures under a lock, each with its time-out. */
    @State(Scope.Thread)
    public static class HandMade {
        private final ArrayDeque<CompletableFuture<HandMade>> line = new ArrayDeque<>();
        private int free = 1;
        int granted;

        CompletableFuture<HandMade> acquire(boolean timed) {
            synchronized (line) {
                if (free > 0) {
                    free--;
                    return CompletableFuture.completedFuture(this);
                }
                CompletableFuture<HandMade> future = new CompletableFuture<>();
                line.add(future);
                return timed ? future.orTimeout(LONG.toHours(), TimeUnit.HOURS) : future;
            }
        }

        void release() {
            CompletableFuture<HandMade> next;
            synchronized (line) {
                next = line.poll();
                if (next == null) {
                    free++;
                    return;
                }
            }
            if (!next.complete(this)) {
                release();
            }
        }

        void granted() {
            granted++;
            release();
        }

        int round(boolean timed) {
            acquire(false);
            granted = 0;
            for (int i = 0; i < LINE; i++) {
                acquire(timed).thenAccept(HandMade::granted);
            }
            release();
            admitted(granted == LINE);
            return granted;
        }
    }

    @Benchmark
    @OperationsPerInvocation(LINE)
    public int handMade(HandMade its) {
        return its.round(true);
    }

    /** The same for those who wait for ever. */
    @Benchmark
    @OperationsPerInvocation(LINE)
    public int floorUntimed(HandMade its) {
        return its.round(false);
    }
}
