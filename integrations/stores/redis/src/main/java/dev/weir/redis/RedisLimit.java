package dev.weir.redis;

import dev.weir.store.Reply;
import dev.weir.store.StoreLimit;
import dev.weir.store.state.Operation;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A limit that a script counts. */
record RedisLimit(Redis redis, KeyName names, RedisRate rate) implements StoreLimit {
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
        return run(Operation.ACQUIRE, key, permits, 0);
    }

    @Override
    public CompletionStage<Reply> acquireUpTo(@Nullable Object key, long permits) {
        return run(Operation.ACQUIRE_UP_TO, key, permits, 0);
    }

    @Override
    public CompletionStage<Reply> charge(@Nullable Object key, long permits) {
        return run(Operation.CHARGE, key, permits, 0);
    }

    @Override
    public boolean countsCost() {
        return rate.rate().countsCost();
    }

    @Override
    public CompletionStage<Reply> refund(@Nullable Object key, long permits, long grantedAt) {
        return run(Operation.REFUND, key, permits, grantedAt);
    }

    private CompletionStage<Reply> run(Operation operation, @Nullable Object key, long permits, long grantedAt) {
        byte[] name = names.of(key);
        if (name == null) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("no name for key " + key));
        }
        return redis.calls().run(rate.call(name, operation, permits, grantedAt));
    }

    @Override
    public long refilled(long nanos) {
        return rate.rate().refilled(nanos);
    }

    @Override
    public boolean allowsBatches() {
        return rate.rate().allowsBatches();
    }

    @Override
    public CompletionStage<?> ping() {
        return redis.servers().ping();
    }

    @Override
    public int nodes() {
        return redis.servers().nodes();
    }

    @Override
    public int node(@Nullable Object key) {
        if (redis.servers().nodes() == 1) {
            return 0;
        }
        byte[] name = names.of(key);
        return name == null ? 0 : redis.servers().node(name);
    }

    @Override
    public String nodeName(int node) {
        return redis.servers().nodeName(node);
    }

    @Override
    public CompletionStage<?> ping(int node) {
        return redis.servers().ping(node);
    }
}
