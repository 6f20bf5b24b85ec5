package dev.weir.queue;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.queue.discipline.FairShare;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A request of a high cost is not overtaken for ever by those of a low cost, before a rate that all of them share. */
class CostTurnsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final StrategySpec IN_TOTAL = Settled.of(TokenBucket.of(100, SECOND));

    private final VirtualTime time = new VirtualTime();

    static List<StrategySpec> limits() {
        StrategySpec each = Keyed.of(Settled.of(TokenBucket.of(1_000, SECOND)), 100);
        return List.of(
                IN_TOTAL,
                AllOf.of(IN_TOTAL, TokenBucket.of(10_000, SECOND), new Semaphore(1_000)),
                AllOf.of(each, IN_TOTAL),
                AllOf.of(IN_TOTAL, each, new Semaphore(1_000)));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void S7_theHighCostHasItsTurn(StrategySpec limit) {
        ManagedLimiter limiter = Limiters.builder("model", limit).ticker(time).build();
        AdmissionQueue queue = AdmissionQueue.builder(
                        "model", limiter, QueueSpec.of(100_000).by(new FairShare()))
                .executor(Runnable::run)
                .alarm(time)
                .build();
        Duration ever = Duration.ofHours(1);
        for (int i = 0; i < 100; i++) {
            low(queue, ever);
        }
        CompletableFuture<Decision> high =
                queue.acquireAsync(Request.forKey("high").settled(90), ever);
        int steps = 0;
        while (!high.isDone() && steps++ < 1_000) {
            low(queue, ever);
            time.advance(Duration.ofMillis(10));
        }
        assertTrue(high.isDone() && high.join() instanceof Permit, "not granted after " + steps + " times 10 ms");
        assertTrue(steps <= 400, "granted after " + steps + " times 10 ms");
    }

    private static void low(AdmissionQueue queue, Duration ever) {
        CompletableFuture<Decision> unused =
                queue.acquireAsync(Request.forKey("low").settled(1), ever);
        CompletableFuture<Decision> unusedToo =
                queue.acquireAsync(Request.forKey("lower").settled(1), ever);
    }
}
