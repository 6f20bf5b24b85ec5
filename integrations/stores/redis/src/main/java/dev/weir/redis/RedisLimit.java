package dev.weir.redis;

import dev.weir.store.Reply;
import dev.weir.store.StoreLimit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A limit that scripts count. */
record RedisLimit(Redis redis, KeyName names, RedisRate rate) implements StoreLimit {
    /** Scripts compute exactly up to twice this; no limit is as high. */
    private static final long MOST = 1L << 52;

    @Override
    public void check(@Nullable Object key) {
        if (key != null && !(key instanceof String) && names.of(key) == null) {
            throw new IllegalArgumentException(
                    "key must be a String, KeyValues, Dimensions, a number, a Boolean, a Character, a UUID or an enum constant, was a "
                            + key.getClass().getName());
        }
    }

    @Override
    public CompletionStage<Reply> acquire(@Nullable Object key, long permits) {
        return run(rate.acquire(permits), key, permits);
    }

    @Override
    public CompletionStage<Reply> acquireUpTo(@Nullable Object key, long permits) {
        return run(Script.ACQUIRE_UP_TO, key, permits);
    }

    @Override
    public CompletionStage<Reply> charge(@Nullable Object key, long permits) {
        return run(rate.charge(), key, permits);
    }

    @Override
    public boolean countsCost() {
        return rate.countsCost();
    }

    @Override
    public CompletionStage<Reply> refund(@Nullable Object key, long permits, long grantedAt) {
        return run(key, rate.refund(Math.min(MOST, permits), grantedAt));
    }

    private CompletionStage<Reply> run(int operation, @Nullable Object key, long permits) {
        return run(key, rate.arguments(operation, Math.max(-MOST, Math.min(MOST, permits)), 0));
    }

    private CompletionStage<Reply> run(@Nullable Object key, List<byte[]> arguments) {
        byte[] name = names.of(key);
        if (name == null) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("no name for key " + key));
        }
        return redis.scripts().run(rate.script(), name, arguments).thenApply(RedisRate::reply);
    }

    @Override
    public long refilled(long nanos) {
        return rate.refilled(nanos);
    }

    @Override
    public boolean allowsBatches() {
        return rate.allowsBatches();
    }

    @Override
    public CompletionStage<?> ping() {
        return redis.ping();
    }
}
