package dev.weir.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.store.Reply;
import dev.weir.store.StoreLimit;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import dev.weir.testkit.VirtualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StoreMetersTest {
    private final VirtualTime time = new VirtualTime();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Deque<CompletableFuture<Reply>> asked = new ArrayDeque<>();
    private final StoreLimit store = new StoreLimit() {
        @Override
        public CompletionStage<Reply> acquire(@Nullable Object key, long permits) {
            CompletableFuture<Reply> answer = new CompletableFuture<>();
            asked.add(answer);
            return answer;
        }

        @Override
        public CompletionStage<Reply> acquireUpTo(@Nullable Object key, long permits) {
            return acquire(key, permits);
        }

        @Override
        public CompletionStage<Reply> charge(@Nullable Object key, long permits) {
            return acquire(key, permits);
        }

        @Override
        public CompletionStage<?> ping() {
            return new CompletableFuture<>();
        }
    };
    private final StoreRateLimiter limiter = StoreRateLimiter.builder(
                    "search", TokenBucket.of(5, Duration.ofSeconds(1)), spec -> store, WhenAway.closed())
            .ticker(time)
            .alarm(time)
            .executor(Runnable::run)
            .maxInFlight(2)
            .failuresUntilAway(1)
            .build();

    private void ask(String key) {
        limiter.acquireAsync(Request.forKey(key), Duration.ZERO);
    }

    private double count(String meter, String... tags) {
        return registry.get(meter).tags(tags).functionCounter().count();
    }

    private double gauge(String meter) {
        return registry.get(meter).tag("name", "search").gauge().value();
    }

    @Test
    void D10_eachFigureHasItsMeterAndHealedValuesAreCounted() {
        try (StoreMeters meters = StoreMeters.of(limiter.name(), limiter::status)) {
            meters.bindTo(registry);
            assertThrows(IllegalStateException.class, () -> meters.bindTo(registry));
            ask("a");
            ask("b");
            ask("c");
            assertEquals(2, gauge("weir.store.inflight"));
            assertEquals(1, count("weir.store.commands", "result", "unsent"));
            time.advance(Duration.ofMillis(3));
            asked.remove().complete(new Reply(1, 4, 5, 1, 0, 1, 0));
            asked.remove().complete(new Reply(0, 0, 5, 1, 7));
            var trips = registry.get("weir.store.roundtrip").functionTimer();
            assertEquals(2, trips.count());
            assertEquals(6, trips.totalTime(TimeUnit.MILLISECONDS));
            assertEquals(1, count("weir.store.healed"));
            assertEquals(1, count("weir.acquire", "outcome", "permitted"));
            assertEquals(1, count("weir.acquire", "reason", "rate"));
            assertEquals(1, count("weir.acquire", "reason", "unavailable"));
            assertEquals(1, count("weir.store.local"));
            assertEquals(1, gauge("weir.store.up"));
            assertEquals(0, gauge("weir.store.degraded"));
            ask("d");
            time.advance(Duration.ofMillis(150));
            assertEquals(1, count("weir.store.commands", "result", "timeout"));
            assertEquals(0, gauge("weir.store.up"));
            assertEquals(2, count("weir.acquire", "reason", "unavailable"));
        }
        assertTrue(registry.getMeters().isEmpty());
    }
}
