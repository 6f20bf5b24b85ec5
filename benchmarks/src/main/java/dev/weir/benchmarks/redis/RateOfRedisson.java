package dev.weir.benchmarks.redis;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** The RRateLimiter of Redisson. */
final class RateOfRedisson implements Contender {
    private final RedissonClient client;
    private final RRateLimiter limiter;

    RateOfRedisson(String uri) {
        Config config = new Config();
        config.useSingleServer().setAddress(uri);
        client = Redisson.create(config);
        limiter = client.getRateLimiter("redisson");
        limiter.trySetRate(RateType.OVERALL, RedisComparison.LIMIT, Duration.ofSeconds(1));
    }

    @Override
    public String name() {
        return "Redisson RRateLimiter";
    }

    @Override
    public CompletionStage<Boolean> tryAcquire() {
        return limiter.tryAcquireAsync(1);
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
