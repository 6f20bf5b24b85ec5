package dev.weir.redis;

import dev.weir.store.Reply;
import dev.weir.store.StoreLimit;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A rate that the scripts of a {@link VirtualRedis} count. */
record VirtualRate(VirtualRedis server, RedisRate rate, String id) implements StoreLimit {
    private CompletionStage<Reply> run(int operation, @Nullable Object key, long permits) {
        byte[] name = (id + key).getBytes(StandardCharsets.UTF_8);
        return server.run(rate.script(), name, rate.arguments(operation, permits, 0))
                .thenApply(RedisRate::reply);
    }

    @Override
    public CompletionStage<Reply> acquire(@Nullable Object key, long permits) {
        return run(Script.ACQUIRE, key, permits);
    }

    @Override
    public CompletionStage<Reply> acquireUpTo(@Nullable Object key, long permits) {
        return run(Script.ACQUIRE_UP_TO, key, permits);
    }

    @Override
    public CompletionStage<Reply> charge(@Nullable Object key, long permits) {
        return run(Script.CHARGE, key, permits);
    }

    @Override
    public long refilled(long nanos) {
        return rate.refilled(nanos);
    }

    @Override
    public CompletionStage<?> ping() {
        return acquireUpTo("ping", 1);
    }
}
