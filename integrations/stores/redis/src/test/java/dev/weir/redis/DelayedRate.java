package dev.weir.redis;

import dev.weir.store.Reply;
import dev.weir.store.StoreLimit;
import dev.weir.testkit.VirtualTime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A limit in virtual time to which each command takes as long as each answer back. */
record DelayedRate(StoreLimit limit, VirtualTime time, long nanos) implements StoreLimit {
    private <T> CompletionStage<T> carry(Supplier<? extends CompletionStage<? extends T>> command) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        time.ring(nanos, () -> command.get().thenAccept(reply -> time.ring(nanos, () -> answer.complete(reply))));
        return answer;
    }

    @Override
    public CompletionStage<Reply> acquire(@Nullable Object key, long permits) {
        return carry(() -> limit.acquire(key, permits));
    }

    @Override
    public CompletionStage<Reply> acquireUpTo(@Nullable Object key, long permits) {
        return carry(() -> limit.acquireUpTo(key, permits));
    }

    @Override
    public CompletionStage<Reply> charge(@Nullable Object key, long permits) {
        return carry(() -> limit.charge(key, permits));
    }

    @Override
    public long refilled(long nanos) {
        return limit.refilled(nanos);
    }

    @Override
    public CompletionStage<?> ping() {
        return carry(limit::ping);
    }
}
