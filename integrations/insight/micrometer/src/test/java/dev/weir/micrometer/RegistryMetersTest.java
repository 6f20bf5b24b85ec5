package dev.weir.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.executor.LimitedExecutor;
import dev.weir.spi.Registration;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RegistryMetersTest {
    private static final String FIRST = "document: { version: 4 }\nlimits: { a: { concurrency: 3 } }";

    private final WrittenDocument document = new WrittenDocument();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

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
        LimiterRegistry limits = document.registry(FIRST);
        try (RegistryMeters bound = RegistryMeters.of(limits)) {
            bound.bindTo(meters);
            assertThrows(IllegalStateException.class, () -> bound.bindTo(meters));
            limits.limiter("d", new Semaphore(1));
            document.write("document: { version: 5 }\nlimits: { a: { concurrency: 5 },"
                    + " b: { concurrency: 1, queue: 2, executor: { threads: 1 } } }");
            limits.names().executor("b");
            limits.names().executor("b", Runnable::run).execute(() -> {});
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
            document.write("document: { version: 6 }\nremoved: [a]\nlimits: { c: { concurrency: 3, adaptive: true } }");
            assertEquals(1, gauge("weir.config.orphans"));
            assertEquals(0, gauge("weir.config.problems"));
            assertNull(meters.find("weir.limit").tag("name", "a").meter());
            assertNotNull(meters.find("weir.limit").tag("name", "c").meter());
        }
        assertTrue(meters.getMeters().isEmpty(), () -> meters.getMetersAsString());
    }

    /** An author's limit that cannot say what it is doing: the meters of the others are there, and its own that need not ask it. */
    @Test
    void aStrategyThatThrowsHidesNoOtherMeter() {
        LimiterRegistry limits = document.registry(FIRST);
        limits.limiter("sick", new SickSpec());
        limits.override("a", "concurrency: 2", Duration.ofMinutes(1), "ann", "a test");
        try (RegistryMeters bound = RegistryMeters.of(limits)) {
            bound.bindTo(meters);
            assertNotNull(meters.find("weir.limit").tag("name", "sick").meter());
            assertNotNull(meters.find("weir.acquire").tag("name", "sick").meter());
            assertEquals(1, meters.get("weir.override").tag("name", "a").gauge().value());
        }
        assertTrue(meters.getMeters().isEmpty(), () -> meters.getMetersAsString());
    }

    /** A rate that grants everything and answers no question. */
    private record SickSpec() implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            return new Strategy() {
                @Override
                public long acquire(Request request) {
                    return GRANTED;
                }

                @Override
                public Traits traits() {
                    return Traits.RATE;
                }

                @Override
                public Permit.Quota quota(Request request) {
                    throw new IllegalStateException("sick");
                }

                @Override
                public Map<String, Long> details() {
                    throw new IllegalStateException("sick");
                }

                @Override
                public long limit() {
                    return 1;
                }

                @Override
                public void setLimit(long limit) {}
            };
        }
    }

    @Test
    void executorsThatTheRegistryWrapsAreCountedTogetherFromTheFirst() {
        LimiterRegistry limits = document.registry(FIRST);
        try (RegistryMeters bound = RegistryMeters.of(limits)) {
            bound.bindTo(meters);
            assertNull(meters.find("weir.executor.tasks").meter());
            List<Runnable> kept = new ArrayList<>();
            LimitedExecutor first = limits.names().executor("a", Runnable::run);
            first.execute(() -> {});
            limits.names().executor("a", kept::add).execute(() -> {});
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
        LimiterRegistry limits = document.registry("limits: { a: { concurrency: 5 } }");
        try (RegistryMeters bound = RegistryMeters.of(limits)) {
            bound.bindTo(meters);
            String first = limits.status().version();
            assertEquals(
                    1,
                    meters.get("weir.config.info").tag("version", first).gauge().value());
            document.write("limits: { a: { concurrency: 6 } }");
            assertEquals(1, meters.get("weir.config.info").gauges().size(), first);
            assertNotNull(meters.find("weir.config.info")
                    .tag("version", limits.status().version())
                    .meter());
            document.write("document: { version: 7 }\nlimits: { a: { concurrency: 6 } }");
            assertEquals(7, gauge("weir.config.version"));
            assertNull(meters.find("weir.config.info").meter(), "the version is a number");
        }
        assertTrue(meters.getMeters().isEmpty(), () -> meters.getMetersAsString());
    }

    @Test
    void aPatchByHandHasAMeterWhileItIsInForce() {
        LimiterRegistry limits = document.registry(FIRST);
        try (RegistryMeters bound = RegistryMeters.of(limits)) {
            Registration early =
                    limits.override("a", "concurrency: 2", Duration.ofMinutes(9), "ann", "before the meters");
            bound.bindTo(meters);
            assertEquals(1, meters.get("weir.override").tag("name", "a").gauge().value());
            early.close();
            assertNull(meters.find("weir.override").meter());
            Registration unused = limits.override("a", "concurrency: 4", Duration.ofMinutes(1), "ann", "a test");
            assertEquals(1, meters.get("weir.override").tag("name", "a").gauge().value());
            document.time.advance(Duration.ofMinutes(1));
            assertNull(meters.find("weir.override").meter());
        }
        assertTrue(meters.getMeters().isEmpty(), () -> meters.getMetersAsString());
    }

    @Test
    void aDocumentThatTracksPermitsShowsTheOldest() {
        LimiterRegistry limits = document.registry(FIRST);
        try (RegistryMeters bound = RegistryMeters.of(limits)) {
            bound.bindTo(meters);
            assertNull(meters.find("weir.held.oldest").meter());
            document.write("document: { version: 5 }\nlimits: { a: { concurrency: 3, track-permits: 1 } }");
            assertEquals(0, meters.get("weir.held.oldest").timeGauge().value());
            limits.limiter("a").tryAcquire();
            document.time.advance(Duration.ofSeconds(7));
            assertEquals(7, meters.get("weir.held.oldest").timeGauge().value(TimeUnit.SECONDS));
        }
    }

    @Test
    void theConfigurationHasMeters() {
        LimiterRegistry limits = document.registry(FIRST);
        RegistryMeters.of(limits).bindTo(meters);
        assertEquals(4, gauge("weir.config.version"));
        assertEquals(1, gauge("weir.config.source.up"));
        document.time.advance(Duration.ofSeconds(10));
        assertEquals(10, meters.get("weir.config.age").timeGauge().value(TimeUnit.SECONDS));
        document.write("rubbish");
        document.time.advance(Duration.ofSeconds(10));
        assertEquals(1, documents("accepted"));
        assertEquals(1, documents("refused"));
    }
}
