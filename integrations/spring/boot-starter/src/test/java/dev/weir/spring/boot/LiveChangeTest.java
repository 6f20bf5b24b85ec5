package dev.weir.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.config.LimiterRegistry;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.ConfigStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** A change of the environment that Spring Cloud tells is in force without a restart, and costs no permit and no place in a queue. */
final class LiveChangeTest {
    private static final String LIMIT = "weir.limits.checkout.concurrency";

    private final Map<String, Object> properties =
            new HashMap<>(Map.of(LIMIT, "50", "weir.limits.checkout.queue.capacity", "100"));
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(WeirAutoConfiguration.class))
            .withInitializer(context -> context.getEnvironment()
                    .getPropertySources()
                    .addFirst(new MapPropertySource("changing", properties)));

    @Test
    void aChangeKeepsFiftyPermitsAndEveryWaiter() {
        runner.run(context -> {
            NamedLimiter limiter = context.getBean(LimiterRegistry.class).limiter("checkout");
            List<Permit> held = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                held.add(assertInstanceOf(Permit.class, limiter.tryAcquire()));
            }
            List<CompletableFuture<Decision>> waiting = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                waiting.add(limiter.acquireAsync(Request.ONE));
            }
            assertEquals(50, inFlight(limiter));

            change(context, "60");
            Awaitility.await().untilAsserted(() -> assertEquals(60, inFlight(limiter)));
            assertTrue(waiting.subList(0, 10).stream().allMatch(CompletableFuture::isDone));
            assertTrue(waiting.subList(10, 30).stream().noneMatch(CompletableFuture::isDone));

            change(context, "10");
            Awaitility.await()
                    .untilAsserted(
                            () -> assertEquals(10, limiter.status().limiter().limit()));
            assertEquals(60, inFlight(limiter));
            assertTrue(waiting.subList(10, 30).stream().noneMatch(CompletableFuture::isDone));

            held.forEach(each -> each.release(Outcome.SUCCESS));
            waiting.forEach(each -> ((Permit) each.join()).release(Outcome.SUCCESS));
            assertEquals(0, inFlight(limiter));
        });
    }

    @Test
    void aBadValueLeavesTheLastGoodInForce() {
        runner.run(context -> {
            LimiterRegistry registry = context.getBean(LimiterRegistry.class);
            change(context, "none");
            Awaitility.await().until(() -> !registry.status().problems().isEmpty());
            ConfigStatus status = registry.status();
            assertEquals(
                    "changing " + LIMIT
                            + ": checkout: concurrency must be a whole number such as 40, 10k or 2M, was none",
                    status.problems().get(0).toString());
            assertEquals(50, registry.limiter("checkout").status().limiter().limit());

            change(context, "${nothing}");
            Awaitility.await().until(() -> registry.status().refused() == 1);
            assertEquals(50, registry.limiter("checkout").status().limiter().limit());

            change(context, "51");
            Awaitility.await()
                    .untilAsserted(() -> assertEquals(
                            51, registry.limiter("checkout").status().limiter().limit()));
            assertEquals(List.of(), registry.status().problems());
        });
    }

    private void change(ConfigurableApplicationContext context, String limit) {
        properties.put(LIMIT, limit);
        context.publishEvent(new EnvironmentChangeEvent(context, Set.of(LIMIT)));
    }

    private static long inFlight(NamedLimiter limiter) {
        return assertNotNullSnapshot(limiter).inFlight();
    }

    private static dev.weir.engine.Snapshot assertNotNullSnapshot(NamedLimiter limiter) {
        assertNotNull(limiter.status().limiter());
        return limiter.status().limiter();
    }
}
