package dev.weir.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A key that the store does not take is refused before anything is decided, also while the store is away. */
class CheckedKeyTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final ModelStore store = new ModelStore(time, 100, SECOND.toNanos(), 100);
    private final TestNetwork network = new TestNetwork(time);

    /** Takes strings only. */
    private record Strict(StoreLimit limit) implements StoreLimit {
        @Override
        public void check(@Nullable Object key) {
            if (key != null && !(key instanceof String)) {
                throw new IllegalArgumentException("key must be a String");
            }
        }

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
        public CompletionStage<?> ping() {
            return limit.ping();
        }
    }

    static List<Mode> modes() {
        return List.of(Mode.exact(), Mode.verdict(), Mode.batched(20));
    }

    @ParameterizedTest
    @MethodSource("modes")
    void isRefusedInEachMode(Mode mode) {
        StoreRateLimiter limiter = StoreRateLimiter.builder(
                        "api", TokenBucket.of(100, SECOND), spec -> new Strict(store.over(network)), WhenAway.open())
                .mode(mode)
                .ticker(time)
                .executor(Runnable::run)
                .build();
        Request wrong = Request.forKey(7);
        for (boolean away : List.of(false, true)) {
            network.cut = away;
            assertThrows(IllegalArgumentException.class, () -> limiter.acquireAsync(wrong, Duration.ZERO));
            assertThrows(IllegalArgumentException.class, () -> limiter.acquire(wrong, Duration.ZERO));
            assertThrows(IllegalArgumentException.class, () -> limiter.quota(wrong));
            assertEquals(0, limiter.status().granted());
        }
        var right = limiter.acquireAsync(Request.forKey("ann"), Duration.ZERO);
        time.advance(SECOND);
        assertInstanceOf(Permit.class, right.join());
    }
}
