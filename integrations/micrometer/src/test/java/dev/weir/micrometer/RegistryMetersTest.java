package dev.weir.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.config.document.Format;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.Reading;
import dev.weir.executor.LimitedExecutor;
import dev.weir.testkit.VirtualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class RegistryMetersTest {
    private final VirtualTime time = new VirtualTime();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private volatile String document = "document: { version: 4 }\nlimits: { a: { concurrency: 3 } }";

    private LimiterRegistry registry() {
        ConfigSource source = new ConfigSource() {
            @Override
            public String name() {
                return "test";
            }

            @Override
            public Reading read() {
                return Reading.of(document.getBytes(StandardCharsets.UTF_8), Format.YAML)
                        .whole();
            }

            @Override
            public Duration readEvery() {
                return Duration.ofSeconds(1);
            }

            @Override
            public void close() {}
        };
        return LimiterRegistry.builder()
                .source(source)
                .ticker(time)
                .alarm(time)
                .executor(Runnable::run)
                .onEvent(event -> {})
                .build();
    }

    private double gauge(String name) {
        return meters.get(name).gauge().value();
    }

    private double documents(String result) {
        return meters.get("weir.config.documents")
                .tag("result", result)
                .functionCounter()
                .count();
    }

    @Test
    void limitersThatComeAndGoHaveMetersWhileTheyAreThere() {
        LimiterRegistry limits = registry();
        try (RegistryMeters bound = RegistryMeters.of(limits)) {
            bound.bindTo(meters);
            assertThrows(IllegalStateException.class, () -> bound.bindTo(meters));
            limits.limiter("d", new Semaphore(1));
            document = "document: { version: 5 }\nlimits: { a: { concurrency: 5 },"
                    + " b: { concurrency: 1, queue: 2, executor: { threads: 1 } } }";
            time.advance(Duration.ofSeconds(3));
            limits.executor("b");
            limits.executor("b", Runnable::run).execute(() -> {});
            assertEquals(
                    1,
                    meters.get("weir.executor.tasks")
                            .tags("name", "b", "result", "succeeded")
                            .functionCounter()
                            .count(),
                    "also those over an executor of somebody");
            assertNotNull(meters.find("weir.limit").tag("name", "d").meter());
            assertNotNull(meters.find("weir.executor.tasks").tag("name", "b").meter());
            assertNotNull(meters.find("weir.limit").tag("name", "a").meter());
            assertNotNull(meters.find("weir.queue.length").tag("name", "b").meter());
            document = "document: { version: 6 }\nremoved: [a]\nlimits: { c: { concurrency: 3, adaptive: true } }";
            time.advance(Duration.ofSeconds(3));
            assertEquals(1, gauge("weir.config.orphans"));
            assertEquals(0, gauge("weir.config.problems"));
            assertNull(meters.find("weir.limit").tag("name", "a").meter());
            assertNotNull(meters.find("weir.limit").tag("name", "c").meter());
        }
        assertTrue(meters.getMeters().isEmpty(), () -> meters.getMetersAsString());
    }

    @Test
    void executorsThatTheRegistryWrapsAreCountedTogetherFromTheFirst() {
        LimiterRegistry limits = registry();
        try (RegistryMeters bound = RegistryMeters.of(limits)) {
            bound.bindTo(meters);
            assertNull(meters.find("weir.executor.tasks").meter());
            List<Runnable> kept = new ArrayList<>();
            LimitedExecutor first = limits.executor("a", Runnable::run);
            first.execute(() -> {});
            limits.executor("a", kept::add).execute(() -> {});
            first.shutdown();
            assertEquals(1, tasks("succeeded"), "also after it was closed");
            kept.forEach(Runnable::run);
            assertEquals(2, tasks("succeeded"));
            assertThrows(RejectedExecutionException.class, () -> first.execute(() -> {}));
            assertEquals(1, tasks("rejected"));
            assertEquals(0, tasks("failed") + tasks("cancelled"));
        }
        assertTrue(meters.getMeters().isEmpty(), () -> meters.getMetersAsString());
    }

    private double tasks(String result) {
        return meters.get("weir.executor.tasks")
                .tags("name", "a", "result", result)
                .functionCounter()
                .count();
    }

    @Test
    void aVersionThatIsNoNumberIsTheTagOfAnInfoMeter() {
        document = "limits: { a: { concurrency: 5 } }";
        LimiterRegistry limits = registry();
        try (RegistryMeters bound = RegistryMeters.of(limits)) {
            bound.bindTo(meters);
            String first = limits.status().version();
            assertEquals(
                    1,
                    meters.get("weir.config.info").tag("version", first).gauge().value());
            document = "limits: { a: { concurrency: 6 } }";
            time.advance(Duration.ofSeconds(3));
            assertEquals(1, meters.get("weir.config.info").gauges().size(), first);
            assertNotNull(meters.find("weir.config.info")
                    .tag("version", limits.status().version())
                    .meter());
            document = "document: { version: 7 }\nlimits: { a: { concurrency: 6 } }";
            time.advance(Duration.ofSeconds(3));
            assertEquals(7, gauge("weir.config.version"));
            assertNull(meters.find("weir.config.info").meter(), "the version is a number");
        }
        assertTrue(meters.getMeters().isEmpty(), () -> meters.getMetersAsString());
    }

    @Test
    void theConfigurationHasMeters() {
        LimiterRegistry limits = registry();
        RegistryMeters.of(limits).bindTo(meters);
        assertEquals(4, gauge("weir.config.version"));
        assertEquals(1, gauge("weir.config.source.up"));
        time.advance(Duration.ofSeconds(10));
        assertEquals(10, meters.get("weir.config.age").timeGauge().value(java.util.concurrent.TimeUnit.SECONDS));
        document = "rubbish";
        time.advance(Duration.ofSeconds(10));
        assertEquals(1, documents("accepted"));
        assertEquals(1, documents("refused"));
    }
}
