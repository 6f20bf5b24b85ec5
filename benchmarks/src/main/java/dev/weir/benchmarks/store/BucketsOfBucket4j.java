package dev.weir.benchmarks.store;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.AsyncProxyManager;
import io.github.bucket4j.distributed.proxy.RemoteAsyncBucketBuilder;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Buckets of Bucket4j: read, computed here, and replaced if nobody else did. One of them is kept for each key, since its batching
 * joins the requests of one object.
 */
final class BucketsOfBucket4j implements Contender {
    private final RedisClient client;
    private final AsyncBucketProxy[] buckets;

    private BucketsOfBucket4j(String uri, String name, Terms terms, Optional<Optimization> optimization) {
        client = RedisClient.create(uri);
        BucketConfiguration configuration = BucketConfiguration.builder()
                .addLimit(limit -> limit.capacity(terms.permits()).refillGreedy(terms.permits(), terms.period()))
                .build();
        AsyncProxyManager<String> manager = Bucket4jLettuce.casBasedBuilder(
                        client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE)))
                .expirationAfterWrite(
                        ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(Duration.ofSeconds(10)))
                .build()
                .asAsync();
        buckets = new AsyncBucketProxy[terms.keys()];
        for (int i = 0; i < buckets.length; i++) {
            RemoteAsyncBucketBuilder<String> builder = manager.builder();
            optimization.ifPresent(builder::withOptimization);
            buckets[i] =
                    builder.build(name + ":" + Terms.name(i), () -> CompletableFuture.completedFuture(configuration));
        }
    }

    static Contender plain(String uri, String name, Terms terms) {
        return new BucketsOfBucket4j(uri, name, terms, Optional.empty());
    }

    /** Requests for one key that come while others are on their way go together. */
    static Contender batching(String uri, String name, Terms terms) {
        return new BucketsOfBucket4j(uri, name, terms, Optional.of(Optimizations.batching()));
    }

    @Override
    public CompletionStage<Boolean> tryAcquire(int key) {
        return buckets[key].tryConsume(1);
    }

    @Override
    public void close() {
        client.close();
    }
}
