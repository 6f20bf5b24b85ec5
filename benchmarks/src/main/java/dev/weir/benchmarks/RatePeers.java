package dev.weir.benchmarks;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.local.LocalBucketBuilder;
import io.github.bucket4j.local.SynchronizationStrategy;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.internal.SemaphoreBasedRateLimiter;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** The peers' rate limiters as their manuals make them, without waiting; after those of their other kinds, see {@link Mixed}. */
final class RatePeers {
    private static final Duration TICK = Duration.ofMillis(1);

    private RatePeers() {}

    static com.google.common.util.concurrent.RateLimiter guava(double permitsPerSecond) {
        if (!Mixed.isAlone()) {
            Mixed.exercise(com.google.common.util.concurrent.RateLimiter.create(1_000)::tryAcquire);
            Mixed.exercise(com.google.common.util.concurrent.RateLimiter.create(1_000, TICK)::tryAcquire);
        }
        return com.google.common.util.concurrent.RateLimiter.create(permitsPerSecond);
    }

    static RateLimiter resilience4j(int permits, Duration period) {
        if (!Mixed.isAlone()) {
            Mixed.exercise(RateLimiter.of("other", config(1, TICK))::acquirePermission);
            ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
            Mixed.exercise(new SemaphoreBasedRateLimiter("other", config(1, TICK), timer)::acquirePermission);
            timer.shutdownNow();
        }
        return RateLimiter.of("measured", config(permits, period));
    }

    private static RateLimiterConfig config(int permits, Duration period) {
        return RateLimiterConfig.custom()
                .limitForPeriod(permits)
                .limitRefreshPeriod(period)
                .timeoutDuration(Duration.ZERO)
                .build();
    }

    static Bucket bucket4j(long permits, Duration period) {
        exerciseBucket4j();
        return bucketOfBucket4j(permits, period);
    }

    static void exerciseBucket4j() {
        if (!Mixed.isAlone()) {
            for (SynchronizationStrategy kind : SynchronizationStrategy.values()) {
                Bucket other =
                        builder(1, TICK).withSynchronizationStrategy(kind).build();
                Mixed.exercise(() -> other.tryConsume(1));
            }
        }
    }

    /** A bucket of Bucket4j as it comes, for one key of many. */
    static Bucket bucketOfBucket4j(long permits, Duration period) {
        return builder(permits, period).build();
    }

    private static LocalBucketBuilder builder(long permits, Duration period) {
        return Bucket.builder().addLimit(limit -> limit.capacity(permits).refillGreedy(permits, period));
    }

    static dev.failsafe.RateLimiter<Object> failsafe(long permits, Duration period) {
        if (!Mixed.isAlone()) {
            Mixed.exercise(dev.failsafe.RateLimiter.burstyBuilder(1, TICK).build()::tryAcquirePermit);
            Mixed.exercise(dev.failsafe.RateLimiter.smoothBuilder(TICK).build()::tryAcquirePermit);
        }
        return dev.failsafe.RateLimiter.burstyBuilder(permits, period).build();
    }
}
