package dev.weir.benchmarks.redis;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A bucket of Bucket4j: read, computed here, and replaced if nobody else did. */
final class BucketOfBucket4j implements Contender {
    private final RedisClient client;
    private final AsyncBucketProxy bucket;

    BucketOfBucket4j(String uri) {
        client = RedisClient.create(uri);
        BucketConfiguration configuration = BucketConfiguration.builder()
                .addLimit(limit -> limit.capacity(RedisComparison.LIMIT)
                        .refillGreedy(RedisComparison.LIMIT, Duration.ofSeconds(1)))
                .build();
        bucket = Bucket4jLettuce.casBasedBuilder(
                        client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE)))
                .expirationAfterWrite(ExpirationAfterWriteStrategy.fixedTimeToLive(Duration.ofSeconds(10)))
                .build()
                .asAsync()
                .builder()
                .build("bucket4j", () -> CompletableFuture.completedFuture(configuration));
    }

    @Override
    public String name() {
        return "Bucket4j (Lettuce)";
    }

    @Override
    public CompletionStage<Boolean> tryAcquire() {
        return bucket.tryConsume(1);
    }

    @Override
    public void close() {
        client.close();
    }
}
