package dev.weir.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.config.LimiterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a scrape of a registry of limits gets. */
class PrometheusTextTest {
    private final WrittenDocument document = new WrittenDocument();
    private final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private void put(String limits) {
        document.write("limits: " + limits);
    }

    private List<String> series() {
        return meters.scrape()
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.substring(0, line.lastIndexOf(' ')))
                .toList();
    }

    private String of(String reason) {
        String text = "weir_acquire_requests_total{name=\"a\",outcome=\"rejected\",reason=\"" + reason + "\"}";
        return meters.scrape()
                .lines()
                .filter(line -> line.startsWith(text))
                .map(line -> line.substring(text.length()).strip())
                .collect(Collectors.joining(","));
    }

    @Test
    void aLiveChangeShowsWhatBecamePossibleAndNothingTwice() {
        LimiterRegistry limits = document.registry("limits: { a: { rate: 2/s } }");
        try (RegistryMeters bound = RegistryMeters.of(limits)) {
            bound.bindTo(meters);
            assertEquals("0.0", of("rate"));
            assertEquals("0.0", of("never"));
            assertEquals("", of("concurrency") + of("queue_full") + of("timed_out") + of("shed") + of("unavailable"));
            for (int i = 0; i < 3; i++) {
                limits.limiter("a").tryAcquire();
            }
            assertEquals("1.0", of("rate"));
            put("{ a: { concurrency: 2, queue: { capacity: 1, max-wait: 1s } } }");
            assertEquals("1.0", of("rate"), "it was counted, and stays");
            assertEquals("0.0", of("concurrency"));
            assertEquals("0.0", of("queue_full"));
            assertEquals("0.0", of("timed_out"));
            assertEquals("", of("shed"));
            put("{ a: { concurrency: 2, queue: { capacity: 1, max-wait: 1s, discipline: lifo } } }");
            assertEquals("0.0", of("shed"));
            put("{ a: { concurrency: 2 } }");
            assertEquals("", of("queue_full") + of("timed_out") + of("shed"));
            List<String> series = series();
            assertEquals(new TreeSet<>(series).size(), series.size(), series::toString);
        }
        assertEquals(List.of(), series());
    }

    @Test
    void eachUnitIsInAName() {
        try (LimiterRegistry limits =
                        document.registry("limits: { a: { concurrency: 2, queue: 2, adaptive: true, enforce: 50% } }");
                RegistryMeters bound = RegistryMeters.of(limits)) {
            bound.bindTo(meters);
            limits.names().executor("a", Runnable::run).execute(() -> {});
            TreeSet<String> names = series().stream()
                    .map(line -> line.replaceFirst("[{].*", ""))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertTrue(
                    names.containsAll(List.of(
                            "weir_acquire_requests_total",
                            "weir_passed_requests_total",
                            "weir_inflight_permits",
                            "weir_limit_permits",
                            "weir_enforced_ratio",
                            "weir_execution_seconds_count",
                            "weir_execution_seconds_sum",
                            "weir_queue_length_requests",
                            "weir_queue_oldest_age_seconds",
                            "weir_wait_seconds_count",
                            "weir_adaptive_limit_max_permits",
                            "weir_adaptive_updates_windows_total",
                            "weir_adaptive_failures_total",
                            "weir_config_age_seconds",
                            "weir_config_problems",
                            "weir_executor_tasks_total")),
                    names::toString);
        }
    }

    @Test
    void aTimerHasBucketsAndPercentilesOnlyIfAskedFor() {
        try (LimiterRegistry limits = document.registry("limits: { a: { concurrency: 1, queue: 2 } }")) {
            try (RegistryMeters bound = RegistryMeters.of(limits)) {
                bound.bindTo(meters);
                waitOnce(limits);
                assertFalse(meters.scrape().contains("_bucket"), meters::scrape);
                assertEquals(0, percentiles());
            }
            try (RegistryMeters bound = RegistryMeters.of(limits).timing(Timer.Builder::publishPercentileHistogram)) {
                bound.bindTo(meters);
                waitOnce(limits);
                assertTrue(meters.scrape().contains("weir_wait_seconds_bucket"), meters::scrape);
                assertEquals(0, percentiles());
            }
            try (RegistryMeters bound = RegistryMeters.of(limits).timing(timer -> timer.publishPercentiles(.5, .99))) {
                bound.bindTo(meters);
                waitOnce(limits);
                assertFalse(meters.scrape().contains("_bucket"), meters::scrape);
                assertEquals(2, percentiles());
            }
        }
    }

    @Test
    void theTimeOfPermitsHasBucketsOnlyIfAskedFor() {
        try (LimiterRegistry limits = document.registry("limits: { a: { concurrency: 1 } }");
                RegistryMeters bound = RegistryMeters.of(limits)
                        .timing(Timer.Builder::publishPercentileHistogram)
                        .executions(Timer.Builder::publishPercentileHistogram)) {
            bound.bindTo(meters);
            int before = series().size();
            assertEquals(12 + 9 + 72, before, "buckets, count, sum and maximum");
            assertTrue(meters.scrape().contains("weir_execution_sampled_seconds_bucket{name=\"a\",le=\"0.001\"} 0"));
        }
    }

    private int percentiles() {
        return meters.get("weir.wait").timer().takeSnapshot().percentileValues().length;
    }

    private static void waitOnce(LimiterRegistry limits) {
        Permit held = (Permit) limits.limiter("a").tryAcquire();
        CompletableFuture<Decision> waiting = limits.limiter("a").acquireAsync(Request.ONE, Duration.ofSeconds(1));
        held.close();
        ((Permit) waiting.join()).close();
    }

    /** 25 each of 13, 12, 28 and 14 series, and 9 of the configuration. */
    @Test
    void aHundredNamesHaveFewSeries() {
        String hundred = "limits:\n"
                + Stream.of("rate: 5/s", "concurrency: 5", "concurrency: 5, queue: 5", "rate: 5/s, key: user")
                        .flatMap(limit -> IntStream.range(0, 25)
                                .mapToObj(i -> "  l" + limit.hashCode() % 1000 + "n" + i + ": { " + limit + " }"))
                        .collect(Collectors.joining("\n"));
        try (LimiterRegistry limits = document.registry(hundred);
                RegistryMeters bound = RegistryMeters.of(limits)) {
            bound.bindTo(meters);
            assertEquals(100, limits.names().names().size());
            TreeMap<String, Long> byName = series().stream()
                    .collect(Collectors.groupingBy(
                            line -> line.replaceFirst("[{].*", ""), TreeMap::new, Collectors.counting()));
            assertEquals(1684, series().size(), byName::toString);
        }
    }
}
