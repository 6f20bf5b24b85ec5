package dev.weir.redis;

import dev.weir.store.Reply;
import dev.weir.store.StoreLimit;
import dev.weir.store.state.Operation;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A rate that the scripts of a {@link VirtualRedis} count. */
record VirtualRate(VirtualRedis server, Script script, RedisRate rate, String id) implements StoreLimit {
    VirtualRate(VirtualRedis server, RedisRate rate, String id) {
        this(server, Script.LIMIT, rate, id);
    }

    private CompletionStage<Reply> run(int operation, @Nullable Object key, long permits) {
        byte[] name = (id + key).getBytes(StandardCharsets.UTF_8);
        return server.run(script, name, Calls.of(rate, operation, permits, 0))
                .thenApply(answer -> RateAnswer.of(answer).get());
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
        return run(rate.call(new byte[0], Operation.CHARGE, permits, 0).operation(), key, permits);
    }

    @Override
    public long refilled(long nanos) {
        return rate.rate().refilled(nanos);
    }

    @Override
    public CompletionStage<?> ping() {
        return acquireUpTo("ping", 1);
    }
}
