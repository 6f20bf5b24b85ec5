package dev.weir.store;

import dev.weir.testkit.VirtualTime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The network between one instance and the model store: as fast, and as broken, as it is set. */
final class TestNetwork implements ModelStore.Network {
    private final VirtualTime time;
    long there = 200_000;
    long back = 200_000;

    /** Commands do not reach the store. */
    boolean cut;

    /** The store counts, but no answer comes back. */
    boolean answersLost;

    /** Commands fail at once. */
    boolean failing;

    /** Commands throw at once. */
    boolean throwing;

    long sent;

    /** For how long it was broken, with the time that an instance needs to notice that it works again. */
    long brokenNanos;

    private long brokenUntil;
    private long observed;

    /** Called often, to measure for how long it is broken. */
    void observe() {
        long now = time.read();
        if (cut || answersLost || failing || throwing || there + back > 20_000_000) {
            brokenUntil = now + 100_000_000;
        }
        if (brokenUntil > now) {
            brokenNanos += now - observed;
        }
        observed = now;
    }

    /** Ends all faults. */
    void heal() {
        cut = false;
        answersLost = false;
        failing = false;
        throwing = false;
        there = 200_000;
        back = 200_000;
    }

    TestNetwork(VirtualTime time) {
        this.time = time;
    }

    /** A limit that punishes a key for asking for too many permits. */
    record Punishing(StoreLimit limit) implements StoreLimit {
        @Override
        public CompletionStage<Reply> acquire(@Nullable Object key, long permits) {
            return limit.acquire(key, permits);
        }

        @Override
        public CompletionStage<Reply> acquireUpTo(@Nullable Object key, long permits) {
            return limit.acquireUpTo(key, permits);
        }

        @Override
        public CompletionStage<Reply> charge(@Nullable Object key, long permits) {
            return limit.charge(key, permits);
        }

        @Override
        public boolean allowsBatches() {
            return false;
        }

        @Override
        public CompletionStage<?> ping() {
            return limit.ping();
        }
    }

    @Override
    public <T> CompletionStage<T> carry(Supplier<T> command) {
        sent++;
        if (throwing) {
            throw new AssertionError("thrown by the store");
        }
        if (failing) {
            return CompletableFuture.failedFuture(new IllegalStateException("failed"));
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        if (!cut) {
            boolean lost = answersLost;
            long later = back;
            after(there, () -> {
                T result = command.get();
                if (!lost) {
                    after(later, () -> answer.complete(result));
                }
            });
        }
        return answer;
    }

    private void after(long nanos, Runnable action) {
        if (nanos == 0) {
            action.run();
        } else {
            time.ring(nanos, action);
        }
    }
}
