package dev.weir.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.executor.LimitedExecutor;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What was granted and reached no caller, or work that will not start, takes nothing from a rate, though no request asks for that. */
class UndoneTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final StrategySpec FIVE = TokenBucket.of(5, HOUR);

    private final VirtualTime time = new VirtualTime();
    private final Deque<Runnable> tasks = new ArrayDeque<>();

    static List<StrategySpec> limits() {
        return List.of(FIVE, AllOf.of(new Semaphore(9), FIVE));
    }

    private ManagedLimiter limiter(StrategySpec spec) {
        return Limiters.builder("five", spec).ticker(time).build();
    }

    private AdmissionQueue queue(ManagedLimiter limiter) {
        return AdmissionQueue.builder("five", limiter, QueueSpec.of(9))
                .ticker(time)
                .alarm(time)
                .executor(tasks::add)
                .build();
    }

    private void runTasks() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    private void assertUnused(ManagedLimiter limiter) {
        int free = 0;
        while (limiter.tryAcquire() instanceof Permit) {
            free++;
        }
        assertEquals(5, free);
    }

    /** A future that its owner completes when its permit was granted, and was not delivered yet. */
    private void lost(StrategySpec spec, Consumer<CompletableFuture<Decision>> end) {
        ManagedLimiter limiter = limiter(spec);
        AdmissionQueue queue = queue(limiter);
        assertInstanceOf(Permit.class, limiter.tryAcquire(5)).close();
        CompletableFuture<Decision> waits = queue.acquireAsync(Request.of(5), HOUR.multipliedBy(2));
        time.advance(HOUR);
        assertInstanceOf(Rejection.class, limiter.tryAcquire(), "granted to the one that waits");
        assertFalse(waits.isDone());
        end.accept(waits);
        runTasks();
        assertUnused(limiter);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void R6_aRequestThatWasCancelledWhenItWasGranted(StrategySpec spec) {
        lost(spec, waits -> assertTrue(waits.cancel(false)));
        lost(spec, waits -> assertTrue(waits.completeExceptionally(new IllegalStateException())));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void R6_workThatWasCancelledWhenItWasGranted(StrategySpec spec) {
        ManagedLimiter limiter = limiter(spec);
        AdmissionQueue queue = queue(limiter);
        assertInstanceOf(Permit.class, limiter.tryAcquire(5)).close();
        CompletableFuture<String> result = queue.callAsync(Request.of(5), HOUR.multipliedBy(2), () -> {
            throw new AssertionError("started");
        });
        time.advance(HOUR);
        assertTrue(result.cancel(false));
        runTasks();
        assertUnused(limiter);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void R6_aTaskThatWasCancelledBeforeItRan(StrategySpec spec) {
        ManagedLimiter limiter = limiter(spec);
        LimitedExecutor executor = LimitedExecutor.builder(tasks::add, queue(limiter))
                .capturingNothing()
                .build();
        List<Future<?>> granted = List.of(executor.submit(() -> {}), executor.submit(() -> {}));
        assertEquals(2, tasks.size());
        granted.forEach(task -> assertTrue(task.cancel(false)));
        assertUnused(limiter);
    }
}
