package dev.weir.benchmarks.redis;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.redis.Redis;
import dev.weir.redis.RedisLimiters;
import dev.weir.store.Mode;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** A token bucket of Weir in one of its modes; its futures are completed by the client's thread, as those of the others. */
final class OurLimiter implements Contender {
    private final String name;
    private final Redis redis;
    private final StoreRateLimiter limiter;

    private OurLimiter(String name, String uri, Mode mode) {
        this.name = name;
        redis = Redis.connect(uri);
        limiter = RedisLimiters.of(
                name,
                TokenBucket.of(RedisComparison.LIMIT, Duration.ofSeconds(1)),
                redis,
                WhenAway.closed(),
                options -> options.mode(mode).executor(Runnable::run));
    }

    static Contender exact(String uri) {
        return new OurLimiter("redis-exact", uri, Mode.exact());
    }

    static Contender verdict(String uri) {
        return new OurLimiter("redis-verdict", uri, Mode.verdict());
    }

    /** With at most a hundredth of the limit at hand. */
    static Contender batched(String uri) {
        return new OurLimiter("redis-batched", uri, Mode.batched(RedisComparison.LIMIT / 100));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public CompletionStage<Boolean> tryAcquire() {
        return limiter.acquireAsync(Request.ONE, Duration.ZERO).thenApply(Permit.class::isInstance);
    }

    @Override
    public void close() {
        limiter.close();
        redis.close();
    }
}
