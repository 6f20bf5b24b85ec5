package dev.weir.benchmarks;

import static dev.weir.benchmarks.Expect.admitted;

import com.alibaba.csp.sentinel.slots.block.RuleConstant;
import com.google.common.util.concurrent.RateLimiter;
import dev.weir.Decision;
import dev.weir.Limiter;
import dev.weir.algorithms.TokenBucket;
import io.github.bucket4j.Bucket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** One permit from a rate that always has one: a thousand million a second. */
public class RateAdmit {
    private static final long PLENTY = 1_000_000_000;
    private static final Duration SECOND = Duration.ofSeconds(1);

    @State(Scope.Benchmark)
    public static class Weir {
        final Limiter limiter = Mixed.limiter(TokenBucket.of(PLENTY, SECOND));
    }

    @Benchmark
    public Decision weir(Weir its) {
        return admitted(its.limiter.tryAcquire());
    }

    @State(Scope.Benchmark)
    public static class WeirBatched {
        final Limiter limiter = Mixed.limiter(TokenBucket.of(PLENTY, SECOND).batched());
    }

    @Benchmark
    public Decision weirBatched(WeirBatched its) {
        return admitted(its.limiter.tryAcquire());
    }

    @State(Scope.Benchmark)
    public static class Guava {
        final RateLimiter limiter = RatePeers.guava(PLENTY);
    }

    @Benchmark
    public boolean guava(Guava its) {
        return admitted(its.limiter.tryAcquire());
    }

    @State(Scope.Benchmark)
    public static class Resilience4j {
        final io.github.resilience4j.ratelimiter.RateLimiter limiter = RatePeers.resilience4j((int) PLENTY, SECOND);
    }

    @Benchmark
    public boolean resilience4j(Resilience4j its) {
        return admitted(its.limiter.acquirePermission());
    }

    @State(Scope.Benchmark)
    public static class Bucket4j {
        final Bucket bucket = RatePeers.bucket4j(PLENTY, SECOND);
    }

    @Benchmark
    public boolean bucket4j(Bucket4j its) {
        return admitted(its.bucket.tryConsume(1));
    }

    @State(Scope.Benchmark)
    public static class Failsafe {
        final dev.failsafe.RateLimiter<Object> limiter = RatePeers.failsafe(PLENTY, SECOND);
    }

    @Benchmark
    public boolean failsafe(Failsafe its) {
        return admitted(its.limiter.tryAcquirePermit());
    }

    @State(Scope.Benchmark)
    public static class Sentinel {
        final SentinelResource resource = new SentinelResource(RuleConstant.FLOW_GRADE_QPS, PLENTY);
    }

    @Benchmark
    public boolean sentinel(Sentinel its) {
        return admitted(its.resource.enterAndExit());
    }

    @State(Scope.Benchmark)
    public static class Word {
        final AtomicLong word = new AtomicLong();
    }

    @Benchmark
    public long floorClock() {
        return System.nanoTime();
    }

    @Benchmark
    public long floorClockAndCas(Word its) {
        long now = System.nanoTime();
        long seen = its.word.get();
        while (!its.word.compareAndSet(seen, seen + 1)) {
            seen = its.word.get();
        }
        return now + seen;
    }
}
