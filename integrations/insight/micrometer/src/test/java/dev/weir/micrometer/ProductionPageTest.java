package dev.weir.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.FileSource;
import dev.weir.engine.Limiters;
import dev.weir.named.NamedLimiter;
import dev.weir.named.plan.Caps;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code of docs/guides/production.md, and of docs/reference/meters.md. */
class ProductionPageTest {
    @TempDir
    Path folder;

    private final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @Test
    void bucketsAndPercentilesAreAskedFor() {
        try (LimiterRegistry registry = LimiterRegistry.builder().build();
                AdmissionQueue queue = AdmissionQueue.before(Limiters.of("a", new Semaphore(1)), QueueSpec.of(1))) {
            // #region buckets
            RegistryMeters buckets = RegistryMeters.of(registry).timing(Timer.Builder::publishPercentileHistogram);
            QueueMeters percentiles = QueueMeters.of(queue).timing(timer -> timer.publishPercentiles(.5, .99));
            // #endregion buckets
            // #region executions
            RegistryMeters executions =
                    RegistryMeters.of(registry).executions(Timer.Builder::publishPercentileHistogram);
            // #endregion executions
            executions.bindTo(meters);
            executions.close();
            buckets.bindTo(meters);
            percentiles.bindTo(meters);
            assertTrue(meters.scrape().contains("weir_wait_seconds{name=\"a\",quantile=\"0.99\"}"), meters::scrape);
        }
    }

    @Test
    void aStartNeedsNoDocument() {
        Path limits = folder.resolve("limits.yaml");
        // #region start
        LimiterRegistry registry = LimiterRegistry.builder()
                .source(FileSource.of(limits))
                .lastGood(folder.resolve("limits.last-good"))
                .instance("shop-3")
                .build();
        NamedLimiter checkout = registry.names().limiter("checkout", new Semaphore(40), Caps.concurrency(400));
        RegistryMeters.of(registry).bindTo(meters);
        // #endregion start
        assertEquals(40, checkout.quota(Request.ONE).limit());
        assertTrue(meters.scrape().contains("weir_limit_permits{name=\"checkout\"} 40.0"), meters::scrape);
        registry.close();
    }
}
