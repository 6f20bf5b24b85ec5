package dev.weir.benchmarks;

import static dev.weir.benchmarks.Expect.admitted;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiter;
import java.time.Duration;
import java.util.Objects;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The figures of a limit that has permits left. The floor is an acquire from the same limit. */
public class QuotaRead {
    private static final long PLENTY = 1_000_000_000;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Request ANN = Request.forKey("ann");

    private static Permit.Quota told(ManagedLimiter limiter, Request request) {
        return Objects.requireNonNull(limiter.quota(request));
    }

    @State(Scope.Benchmark)
    public static class Rate {
        final ManagedLimiter limiter = Mixed.limiter(TokenBucket.of(PLENTY, SECOND));
    }

    @Benchmark
    public Permit.Quota weirRate(Rate its) {
        return told(its.limiter, Request.ONE);
    }

    @Benchmark
    public Decision floorRate(Rate its) {
        return admitted(its.limiter.tryAcquire());
    }

    @State(Scope.Benchmark)
    public static class OfKeys {
        final ManagedLimiter limiter = Mixed.limiter(Keyed.of(TokenBucket.of(PLENTY, SECOND), 1_000));

        public OfKeys() {
            admitted(limiter.tryAcquire(ANN));
        }
    }

    @Benchmark
    public Permit.Quota weirKeyed(OfKeys its) {
        return told(its.limiter, ANN);
    }

    @Benchmark
    public Decision floorKeyed(OfKeys its) {
        return admitted(its.limiter.tryAcquire(ANN));
    }

    @State(Scope.Benchmark)
    public static class Concurrency {
        final ManagedLimiter limiter = Mixed.limiter(new Semaphore(1_000));
    }

    @Benchmark
    public Permit.Quota weirConcurrency(Concurrency its) {
        return told(its.limiter, Request.ONE);
    }

    /** An acquire and its release. */
    @Benchmark
    public boolean floorConcurrency(Concurrency its) {
        return its.limiter.tryAcquire() instanceof Permit permit && permit.release(Outcome.SUCCESS);
    }

    @State(Scope.Benchmark)
    public static class Bucket4j {
        final Bucket bucket = RatePeers.bucket4j(PLENTY, SECOND);
    }

    @Benchmark
    public long bucket4j(Bucket4j its) {
        return its.bucket.getAvailableTokens();
    }

    @State(Scope.Benchmark)
    public static class Resilience4j {
        final RateLimiter limiter = RatePeers.resilience4j((int) PLENTY, SECOND);
    }

    @Benchmark
    public int resilience4j(Resilience4j its) {
        return its.limiter.getMetrics().getAvailablePermissions();
    }
}
