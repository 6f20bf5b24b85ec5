package dev.weir.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** After a change nothing is counted by the specification before it: a store would go back to its rate for that key. */
class ReplacedLimitTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final StrategySpec BEFORE = TokenBucket.of(1_000, SECOND);
    private static final StrategySpec AFTER = TokenBucket.of(10, SECOND);

    private final VirtualTime time = new VirtualTime();
    private final ModelStore before = new ModelStore(time, 1_000, SECOND.toNanos(), 1_000);
    private final ModelStore after = new ModelStore(time, 10, SECOND.toNanos(), 10);
    private final TestNetwork toBefore = new TestNetwork(time);
    private final TestNetwork toAfter = new TestNetwork(time);

    static List<Mode> modes() {
        return List.of(Mode.exact(), Mode.verdict(), Mode.batched(20));
    }

    private StoreRateLimiter limiter(Mode mode) {
        return StoreRateLimiter.builder(
                        "api",
                        BEFORE,
                        spec -> spec == BEFORE ? before.over(toBefore) : after.over(toAfter),
                        WhenAway.closed())
                .mode(mode)
                .ticker(time)
                .executor(Runnable::run)
                .build();
    }

    private static List<CompletableFuture<Decision>> ask(StoreRateLimiter limiter, int count) {
        List<CompletableFuture<Decision>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(limiter.acquireAsync(Request.ONE.refundable(), Duration.ZERO));
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("modes")
    void W5_nothingIsAskedOrRefundedByTheSpecificationBefore(Mode mode) {
        StoreRateLimiter limiter = limiter(mode);
        List<CompletableFuture<Decision>> all = ask(limiter, 100);
        time.advance(Duration.ofMillis(1));
        all.addAll(ask(limiter, 400));
        limiter.reconfigure(AFTER);
        long sent = toBefore.sent;
        time.advance(SECOND);
        for (CompletableFuture<Decision> each : all) {
            if (each.join() instanceof Permit permit) {
                assertTrue(permit.release(Outcome.CANCELLED));
            }
        }
        limiter.close();
        time.advance(SECOND);
        assertEquals(sent, toBefore.sent);
    }
}
