package dev.weir.benchmarks;

import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;

/** The peers' rate limiters as their manuals make them, without waiting. */
final class RatePeers {
    private RatePeers() {}

    static RateLimiter resilience4j(int permits, Duration period) {
        return RateLimiter.of(
                "measured",
                RateLimiterConfig.custom()
                        .limitForPeriod(permits)
                        .limitRefreshPeriod(period)
                        .timeoutDuration(Duration.ZERO)
                        .build());
    }

    static Bucket bucket4j(long permits, Duration period) {
        return Bucket.builder()
                .addLimit(limit -> limit.capacity(permits).refillGreedy(permits, period))
                .build();
    }

    static dev.failsafe.RateLimiter<Object> failsafe(long permits, Duration period) {
        return dev.failsafe.RateLimiter.burstyBuilder(permits, period).build();
    }
}
