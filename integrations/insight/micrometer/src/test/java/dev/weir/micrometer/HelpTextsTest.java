package dev.weir.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.controller.Crest;
import dev.weir.adaptive.signal.Sensors;
import dev.weir.adaptive.signal.Signals;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.config.LimiterRegistry;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.Registration;
import dev.weir.store.StoreStatus;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What {@code promtool check metrics} asks of names and help texts, of every meter. */
class HelpTextsTest {
    /** The names that Prometheus gives a meaning, and units other than those that a registry adds. */
    private static final Pattern BAD_NAME = Pattern.compile(
            ".*[.](total|count|sum|bucket|gauge|counter|timer|histogram|summary|ms|millis.*|micros.*|nanos.*|minutes?|hours?)");

    private final MeterRegistry registry = new SimpleMeterRegistry();

    /** All meters of one limiter, its queue and its control, of a limiter that a store counts, and of a configuration. */
    private LimiterRegistry bindAll() {
        ManagedLimiter limiter = Limiters.of("a", new Semaphore(5));
        limiter.enforce(.5);
        limiter.trackPermits(1);
        WeirMeters.of(limiter).executions(timer -> timer).bindTo(registry);
        limiter.dial().setLimit(6);
        QueueMeters.of(AdmissionQueue.before(limiter, QueueSpec.of(1))).bindTo(registry);
        Sensors sensors = Sensors.builder().watch(Signals.of("load", () -> 0.5)).build();
        AdaptiveControl control = AdaptiveControl.of(limiter, new Crest(), Bounds.of(1, 9));
        AdaptiveMeters.of(control, sensors).bindTo(registry);
        StoreStatus status = new StoreStatus(true, false, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, Map.of(), 0, List.of());
        StoreMeters.of("b", () -> status).bindTo(registry);
        LimiterRegistry limits = LimiterRegistry.builder()
                .executor(Runnable::run)
                .onEvent(event -> {})
                .build();
        RegistryMeters.of(limits).bindTo(registry);
        limits.limiter("d", TokenBucket.of(5, Duration.ofSeconds(1))).suspendFor(Duration.ofMinutes(1), "test");
        limits.limiter("e", Keyed.of(TokenBucket.of(5, Duration.ofSeconds(1)), 10));
        limits.limiter("c", new Semaphore(1));
        Registration unused = limits.override(
                "c", "{ concurrency: 1, executor: { threads: 1 } }", Duration.ofMinutes(1), "test", "threads");
        limits.names().executor("c");
        control.close();
        sensors.close();
        return limits;
    }

    @Test
    void eachMeterHasOneHelpTextAndANameThatPrometheusAllows() throws IOException {
        LimiterRegistry limits = bindAll();
        Map<String, String> texts = new TreeMap<>();
        for (Meter meter : registry.getMeters()) {
            String name = meter.getId().getName();
            String text = meter.getId().getDescription();
            assertTrue(text != null && !text.isBlank(), name + " has no help text");
            assertEquals(text, texts.getOrDefault(name, text), name);
            assertTrue(name.matches("[a-z]+([.][a-z]+)*"), name);
            assertFalse(BAD_NAME.matcher(name).matches(), name);
            texts.put(name, text);
        }
        limits.close();
        String reference = Files.readString(Path.of("../../../docs/reference/meters.md"));
        TreeSet<String> documented = Pattern.compile("`(weir[.][a-z.]+)`")
                .matcher(reference)
                .results()
                .map((MatchResult found) -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        documented.remove("weir.config.info"); // there is none where the version is a number
        assertEquals(documented, texts.keySet());
    }

    /** The rows of the reference say the unit of each meter; "1 or 0" and "none" are no units. */
    @Test
    void eachMeterHasTheUnitThatTheReferenceSays() throws IOException {
        LimiterRegistry limits = bindAll();
        Map<String, String> units = new TreeMap<>();
        for (Meter meter : registry.getMeters()) {
            units.put(
                    meter.getId().getName(),
                    Objects.requireNonNullElse(meter.getId().getBaseUnit(), "none"));
        }
        limits.close();
        Map<String, String> documented = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of("../../../docs/reference/meters.md"))) {
            Matcher row =
                    Pattern.compile("[|] (`weir[.].*`) [|] ([a-z0-9 ]+) [|] .*").matcher(line);
            if (row.matches()) {
                String unit = row.group(2).equals("1 or 0") ? "none" : row.group(2);
                for (String name : row.group(1).split(", ")) {
                    documented.put(name.replace("`", ""), unit);
                }
            }
        }
        documented.remove("weir.config.info");
        assertEquals(units, documented);
    }
}
