package dev.weir.benchmarks;

import static dev.weir.benchmarks.Expect.admitted;
import static dev.weir.benchmarks.Expect.released;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.ResourceSource;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.named.NamedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import java.time.Duration;
import java.util.Objects;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * A limit through its name in a registry, as the document {@code named.yaml} has it. The floor is the same limit without a name, and
 * for figures an acquire through the name; for two names at once, the one and then the other, held together.
 */
public class NamedLimit {
    private static final int LIMIT = 64;
    private static final long PLENTY = 1_000_000_000;
    private static final TokenBucket RATE = TokenBucket.of(PLENTY, Duration.ofSeconds(1));
    private static final Request ANN = Request.forKey("ann");

    /** Next to nothing, and seen to be done. */
    @State(Scope.Thread)
    public static class Work implements Runnable {
        long done;

        @Override
        public void run() {
            done++;
        }
    }

    @State(Scope.Benchmark)
    public static class Plain {
        final ManagedLimiter work = Mixed.limiter(new Semaphore(LIMIT));
        final ManagedLimiter rate = Mixed.limiter(RATE);
        final ManagedLimiter client = Mixed.limiter(Keyed.of(RATE, 100_000));
        final AdmissionQueue waiting = AdmissionQueue.before(
                Mixed.limiter(new Semaphore(LIMIT)), QueueSpec.of(100).waiting(Duration.ofSeconds(1)));
    }

    /** The same limits, by name: the plain ones beside them keep the compiler from knowing only one kind. */
    @State(Scope.Benchmark)
    public static class Named extends Plain {
        private final LimiterRegistry registry = LimiterRegistry.builder()
                .source(ResourceSource.of(NamedLimit.class, "named.yaml"))
                .onEvent(event -> {})
                .build();
        final NamedLimiter named = registry.limiter("work");
        final NamedLimiter namedCalls = registry.limiter("calls");
        final NamedLimiter pair = registry.names().limiter("work", "calls");
        final NamedLimiter pairOfRate = registry.names().limiter("rate", "work");
        final NamedLimiter namedRate = registry.limiter("rate");
        final NamedLimiter namedClient = registry.limiter("client");
        final NamedLimiter namedWaiting = registry.limiter("waiting");

        public Named() {
            admitted(namedClient.tryAcquire(ANN));
        }

        final LimiterRegistry registry() {
            return registry;
        }
    }

    @Benchmark
    public long weirRun(Named its, Work work) {
        its.named.run(work);
        return work.done;
    }

    @Benchmark
    public long floorRun(Plain its, Work work) {
        its.work.run(work);
        return work.done;
    }

    @Benchmark
    public Decision weirPermit(Named its) {
        return released(its.named.tryAcquire());
    }

    @Benchmark
    public Decision floorPermit(Plain its) {
        return released(its.work.tryAcquire());
    }

    @Benchmark
    public Decision weirRate(Named its) {
        return admitted(its.namedRate.tryAcquire());
    }

    @Benchmark
    public Decision floorRate(Plain its) {
        return admitted(its.rate.tryAcquire());
    }

    @Benchmark
    public Decision weirKeyed(Named its) {
        return admitted(its.namedClient.tryAcquire(ANN));
    }

    @Benchmark
    public Decision floorKeyed(Plain its) {
        return admitted(its.client.tryAcquire(ANN));
    }

    @Benchmark
    public long weirQueue(Named its, Work work) {
        its.namedWaiting.run(work);
        return work.done;
    }

    @Benchmark
    public long floorQueue(Plain its, Work work) throws InterruptedException {
        its.waiting.run(Request.ONE, work);
        return work.done;
    }

    @Benchmark
    public Decision weirPair(Named its) {
        return released(its.pair.tryAcquire());
    }

    @Benchmark
    public Decision floorPair(Named its) {
        Decision first = its.named.tryAcquire();
        Decision second = its.namedCalls.tryAcquire();
        released(second);
        return released(first);
    }

    @Benchmark
    public long weirPairRun(Named its, Work work) {
        its.pair.run(work);
        return work.done;
    }

    @Benchmark
    public long floorPairRun(Named its, Work work) {
        its.namedCalls.run(() -> its.named.run(work));
        return work.done;
    }

    @Benchmark
    public long weirPairRate(Named its, Work work) {
        its.pairOfRate.run(work);
        return work.done;
    }

    @Benchmark
    public long floorPairRate(Named its, Work work) {
        its.namedRate.run(() -> its.named.run(work));
        return work.done;
    }

    @Benchmark
    public Permit.Quota weirQuota(Named its) {
        return Objects.requireNonNull(its.namedClient.quota(ANN));
    }

    @Benchmark
    public Decision floorQuota(Named its) {
        return admitted(its.namedClient.tryAcquire(ANN));
    }
}
