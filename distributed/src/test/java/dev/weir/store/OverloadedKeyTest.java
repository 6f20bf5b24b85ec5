package dev.weir.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A key that is asked for more than its limit, while some permits refill during each round trip. */
class OverloadedKeyTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long RATE = 50_000;
    private static final long BURST = 100;

    private final VirtualTime time = new VirtualTime();
    private final ModelStore store = new ModelStore(time, RATE, SECOND.toNanos(), BURST);
    private final TestNetwork network = new TestNetwork(time);

    static List<Mode> modes() {
        return List.of(Mode.exact(), Mode.verdict(), Mode.batched(20));
    }

    private StoreRateLimiter limiter(Mode mode, WhenAway whenAway) {
        return StoreRateLimiter.builder(
                        "api", TokenBucket.of(RATE, SECOND).withCapacity(BURST), spec -> store.over(network), whenAway)
                .mode(mode)
                .ticker(time)
                .executor(Runnable::run)
                .build();
    }

    @ParameterizedTest
    @MethodSource("modes")
    void D1_whatTheStoreRefusesIsNotDecidedAsIfItWereAway(Mode mode) {
        StoreRateLimiter limiter = limiter(mode, WhenAway.open());
        List<CompletableFuture<Decision>> all = new ArrayList<>();
        for (int step = 0; step < 2_000; step++) {
            for (int i = 0; i < 20; i++) {
                all.add(limiter.acquireAsync(Request.ONE, Duration.ZERO));
            }
            time.advance(Duration.ofNanos(100_000));
        }
        time.advance(Duration.ofMillis(1));
        long open = all.stream().filter(each -> !each.isDone()).count();
        time.advance(SECOND);
        long granted =
                all.stream().filter(each -> each.join() instanceof Permit).count();
        assertEquals(0, open);
        assertEquals(0, limiter.status().localDecisions());
        assertTrue(granted <= BURST + RATE / 5 + 200, () -> "granted " + granted);
        assertTrue(all.stream()
                .map(CompletableFuture::join)
                .allMatch(each ->
                        each instanceof Permit || each instanceof Rejection refused && refused.retryAfterNanos() > 0));
    }
}
