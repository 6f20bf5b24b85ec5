package dev.weir.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.FileSource;
import dev.weir.distributed.WhenAway;
import dev.weir.distributed.remote.RemoteLimit;
import dev.weir.distributed.remote.RemoteLimiter;
import dev.weir.distributed.remote.Reply;
import dev.weir.engine.Limiters;
import dev.weir.named.NamedLimiter;
import dev.weir.named.plan.Caps;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code of docs/guides/production.md, and its alarms: each series that they read is one that a scrape has. */
class ProductionPageTest {
    private static final Pattern EXPRESSION = Pattern.compile("(?m)^ +expr: (?:>\n((?:          .*\n)+)|(.*)$)");
    private static final Pattern SERIES = Pattern.compile("\\b(weir_\\w+)(?:[{]([^}]*)[}])?");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=~?\"([^\"]*)\"");
    private static final String EVERYTHING = """
            limits:
              a:
                concurrency: 2
                key: user
              b:
                concurrency: 2
                adaptive: { max: 10, controller: { name: load-guard, signal: cpu }, signals: [ cpu ] }
                queue: { capacity: 2, max-wait: 1s, discipline: lifo }
              c: { rate: 1/s, enforce: 0 }
            """;

    /** A store that never answers. */
    private static final class SilentLimit implements RemoteLimit {
        @Override
        public CompletionStage<Reply> acquire(@Nullable Object key, long permits) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletionStage<Reply> acquireUpTo(@Nullable Object key, long permits) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletionStage<Reply> charge(@Nullable Object key, long permits) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletionStage<?> ping() {
            return new CompletableFuture<>();
        }
    }

    @TempDir
    Path folder;

    private final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private static List<String> expressions() throws IOException {
        return EXPRESSION
                .matcher(Files.readString(Path.of("../../../docs/guides/production.md")))
                .results()
                .map((MatchResult found) -> found.group(1) == null ? found.group(2) : found.group(1))
                .toList();
    }

    private static boolean has(List<String> scraped, String series, String label, String value) {
        return scraped.stream()
                .filter(line -> line.startsWith(series + "{"))
                .anyMatch(line -> line.contains(label + "=\"" + value + "\""));
    }

    @Test
    void eachAlarmReadsSeriesThatThereAre() throws IOException {
        Path file = Files.writeString(folder.resolve("limits.yaml"), EVERYTHING);
        RemoteLimiter store = RemoteLimiter.builder(
                        "d", TokenBucket.of(5, Duration.ofSeconds(1)), spec -> new SilentLimit(), WhenAway.closed())
                .build();
        try (LimiterRegistry limits = LimiterRegistry.of(FileSource.of(file));
                RegistryMeters bound = RegistryMeters.of(limits);
                ClusterMeters cluster = ClusterMeters.of(store.name(), store::status)) {
            assertEquals(List.of(), limits.status().problems());
            bound.bindTo(meters);
            cluster.bindTo(meters);
            limits.limiter("b").run(() -> {});
            List<String> scraped = meters.scrape()
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .toList();
            Set<String> missing = new TreeSet<>();
            List<String> expressions = expressions();
            assertEquals(13, expressions.size(), expressions::toString);
            for (String expression : expressions) {
                int read = 0;
                for (Matcher found = SERIES.matcher(expression); found.find(); read++) {
                    String series = found.group(1);
                    if (scraped.stream().noneMatch(line -> line.matches(series + "[{ ].*"))) {
                        missing.add(series);
                    }
                    String labels = found.group(2) == null ? "" : found.group(2);
                    for (Matcher label = LABEL.matcher(labels); label.find(); ) {
                        String name = label.group(1);
                        Arrays.stream(label.group(2).split("\\|", -1))
                                .filter(value -> !has(scraped, series, name, value))
                                .forEach(value -> missing.add(series + " " + name + "=" + value));
                    }
                }
                assertTrue(read > 0, expression);
            }
            assertEquals(
                    Set.of(),
                    missing,
                    () -> scraped.stream()
                            .map(line -> line.replaceFirst("[{].*", ""))
                            .distinct()
                            .collect(Collectors.joining("\n")));
        } finally {
            store.close();
        }
    }

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
        NamedLimiter checkout = registry.limiter("checkout", new Semaphore(40), Caps.concurrency(400));
        RegistryMeters.of(registry).bindTo(meters);
        // #endregion start
        assertEquals(40, checkout.quota(Request.ONE).limit());
        assertTrue(meters.scrape().contains("weir_limit_permits{name=\"checkout\"} 40.0"), meters::scrape);
        registry.close();
    }
}
