package dev.weir.benchmarks;

import com.netflix.concurrency.limits.Limiter;
import com.netflix.concurrency.limits.limit.FixedLimit;
import com.netflix.concurrency.limits.limit.Gradient2Limit;
import com.netflix.concurrency.limits.limiter.SimpleLimiter;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import java.time.Duration;

/** The peers' concurrency limiters as their manuals make them, without waiting. */
final class ConcurrencyPeers {
    private ConcurrencyPeers() {}

    static Bulkhead resilience4j(int limit) {
        return Bulkhead.of(
                "measured",
                BulkheadConfig.custom()
                        .maxConcurrentCalls(limit)
                        .maxWaitDuration(Duration.ZERO)
                        .build());
    }

    static Limiter<Void> netflix(int limit) {
        return SimpleLimiter.newBuilder().limit(FixedLimit.of(limit)).build();
    }

    static Limiter<Void> netflixGradient2() {
        return SimpleLimiter.newBuilder().limit(Gradient2Limit.newDefault()).build();
    }

    static dev.failsafe.Bulkhead<Object> failsafe(int limit) {
        return dev.failsafe.Bulkhead.builder(limit).build();
    }
}
