package dev.weir.config;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.executor.ExecutorLedger;
import dev.weir.executor.LimitedExecutor;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.RegistryObserver;
import dev.weir.spi.Registration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Executors of a name: who ends them, what their tasks ask for, and who counts these. */
class NamedExecutorsTest extends RegistryFixture {
    @Test
    void nobodyButTheRegistryEndsTheSharedExecutor() throws Exception {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 2, queue: 9, executor: { threads: 2 } } }");
        LimitedExecutor one = registry.names().executor("a");
        String message =
                assertThrows(IllegalStateException.class, one::shutdown).getMessage();
        assertEquals(
                "the executor of the limit a must not be shut down by its users: it ends with its registry", message);
        assertThrows(IllegalStateException.class, one::shutdownNow);
        assertFalse(one.isShutdown());
        assertEquals(7, registry.names().executor("a").submit(() -> 7).get());
        registry.close();
        assertTrue(one.isShutdown());
        assertTrue(one.awaitTermination(9, TimeUnit.SECONDS));
    }

    @Test
    void tasksOfALimitByKeyHaveTheKeyOrAreRefusedWhenTheExecutorIsMade() throws Exception {
        LimiterRegistry registry = registry("limits: { a: { rate: 1/h, key: user, executor: { threads: 1 } },"
                + " b: { rate: 1/h, key: user, key-missing: share } }");
        assertTrue(
                assertThrows(IllegalStateException.class, () -> registry.names().executor("a"))
                        .getMessage()
                        .startsWith("the limit a counts by key: "));
        assertThrows(IllegalStateException.class, () -> registry.names().executor("a", Runnable::run));
        NamedLimiter limiter = registry.limiter("a");
        for (String user : List.of("ann", "ben")) {
            LimitedExecutor tasks =
                    registry.names().executor("a", Runnable::run, limiter.request(Map.of("user", user)::get));
            assertEquals(user, tasks.submit(() -> user).get());
            assertThrows(RejectedExecutionException.class, () -> tasks.execute(() -> {}));
        }
        assertEquals(
                8, registry.names().executor("b", Runnable::run).submit(() -> 8).get());
    }

    @Test
    void theTasksOfAllExecutorsOfANameAreCountedTogether() throws Exception {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 2, queue: 9, executor: { threads: 1 } } }");
        Map<String, Supplier<ExecutorLedger>> told = new HashMap<>();
        Registration observing = registry.names().observe(new RegistryObserver() {
            @Override
            public Registration onExecutor(String name, Supplier<ExecutorLedger> tasks) {
                assertNull(told.put(name, tasks), "told once");
                return () -> told.remove(name);
            }
        });
        assertEquals(Map.of(), told);
        LimitedExecutor own = registry.names().executor("a", Runnable::run);
        own.submit(() -> 1).get();
        own.shutdown();
        assertThrows(RejectedExecutionException.class, () -> own.execute(() -> {}));
        registry.names().executor("a", Runnable::run).submit(() -> 2).get();
        registry.names().executor("a").submit(() -> 3).get();
        // A worker counts a task after its future is done.
        await().untilAsserted(() ->
                assertEquals(new ExecutorLedger(4, 3, 0, 0, 1, 0), told.get("a").get()));
        assertEquals(new ExecutorLedger(2, 1, 0, 0, 1, 0), own.ledger());
        registry.close();
        assertEquals(Map.of(), told);
        observing.close();
    }
}
