package dev.weir.benchmarks;

import static dev.weir.benchmarks.Expect.admitted;

import com.netflix.concurrency.limits.Limiter.Listener;
import dev.weir.Decision;
import dev.weir.Limiter;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.controller.Crest;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.ManagedLimiter;
import java.util.Optional;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A permit taken and returned as a success, with room to spare, while a controller holds the dial. */
public class AdaptivePermit {
    private static final int LIMIT = 64;

    @State(Scope.Benchmark)
    public static class Weir {
        final Limiter limiter = controlled(Mixed.limiter(new Semaphore(LIMIT)));
    }

    private static Limiter controlled(ManagedLimiter limiter) {
        AdaptiveControl.of(limiter, new Crest(), Bounds.of(1, 1000));
        return limiter;
    }

    @Benchmark
    public Decision weir(Weir its) {
        Decision decision = its.limiter.tryAcquire();
        admitted(decision instanceof Permit permit && permit.release(Outcome.SUCCESS));
        return decision;
    }

    @State(Scope.Benchmark)
    public static class Netflix {
        final com.netflix.concurrency.limits.Limiter<Void> limiter = ConcurrencyPeers.netflixGradient2();
    }

    @Benchmark
    public Object netflix(Netflix its) {
        Optional<Listener> listener = its.limiter.acquire(null);
        admitted(listener.isPresent());
        listener.get().onSuccess();
        return listener;
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
