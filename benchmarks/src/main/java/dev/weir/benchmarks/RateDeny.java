package dev.weir.benchmarks;

import static dev.weir.benchmarks.Expect.refused;

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

/** A rejection by a rate that is spent: one a day. */
public class RateDeny {
    private static final Duration DAY = Duration.ofDays(1);

    @State(Scope.Benchmark)
    public static class Weir {
        final Limiter limiter = Mixed.limiter(TokenBucket.of(1, DAY));

        public Weir() {
            limiter.tryAcquire();
        }
    }

    /** The rejection is handed on whole, with its time to ask again. */
    @Benchmark
    public Decision weir(Weir its) {
        return refused(its.limiter.tryAcquire());
    }

    @State(Scope.Benchmark)
    public static class Guava {
        final RateLimiter limiter = RatePeers.guava(1.0 / DAY.toSeconds());

        public Guava() {
            limiter.acquire();
        }
    }

    @Benchmark
    public boolean guava(Guava its) {
        return refused(!its.limiter.tryAcquire());
    }

    @State(Scope.Benchmark)
    public static class Resilience4j {
        final io.github.resilience4j.ratelimiter.RateLimiter limiter = RatePeers.resilience4j(1, DAY);

        public Resilience4j() {
            limiter.acquirePermission();
        }
    }

    @Benchmark
    public boolean resilience4j(Resilience4j its) {
        return refused(!its.limiter.acquirePermission());
    }

    @State(Scope.Benchmark)
    public static class Bucket4j {
        final Bucket bucket = RatePeers.bucket4j(1, DAY);

        public Bucket4j() {
            bucket.tryConsume(1);
        }
    }

    @Benchmark
    public boolean bucket4j(Bucket4j its) {
        return refused(!its.bucket.tryConsume(1));
    }

    @State(Scope.Benchmark)
    public static class Failsafe {
        final dev.failsafe.RateLimiter<Object> limiter = RatePeers.failsafe(1, DAY);

        public Failsafe() {
            limiter.tryAcquirePermit();
        }
    }

    @Benchmark
    public boolean failsafe(Failsafe its) {
        return refused(!its.limiter.tryAcquirePermit());
    }

    @State(Scope.Benchmark)
    public static class Sentinel {
        final SentinelResource resource = new SentinelResource(RuleConstant.FLOW_GRADE_QPS, 0);
    }

    @Benchmark
    public boolean sentinel(Sentinel its) {
        return refused(!its.resource.enterAndExit());
    }

    @State(Scope.Benchmark)
    public static class Word {
        final AtomicLong word = new AtomicLong();
    }

    @Benchmark
    public long floorClockAndRead(Word its) {
        return System.nanoTime() + its.word.get();
    }
}
