package dev.weir.benchmarks.store;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** The RRateLimiter of Redisson, one for each key. */
final class RatesOfRedisson implements Contender {
    private final RedissonClient client;
    private final RRateLimiter[] limiters;

    RatesOfRedisson(String uri, String name, Terms terms) {
        Config config = new Config();
        config.useSingleServer().setAddress(uri);
        client = Redisson.create(config);
        limiters = new RRateLimiter[terms.keys()];
        CompletableFuture<?>[] all = new CompletableFuture<?>[limiters.length];
        for (int i = 0; i < limiters.length; i++) {
            limiters[i] = client.getRateLimiter(name + ":" + Terms.name(i));
            all[i] = limiters[i]
                    .trySetRateAsync(RateType.OVERALL, terms.permits(), terms.period())
                    .toCompletableFuture();
        }
        CompletableFuture.allOf(all).join();
    }

    @Override
    public CompletionStage<Boolean> tryAcquire(int key) {
        return limiters[key].tryAcquireAsync(1);
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
