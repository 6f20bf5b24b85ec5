package dev.weir.adaptive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Limiter;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.adaptive.controller.Crest;
import dev.weir.adaptive.controller.LoadGuard;
import dev.weir.adaptive.controller.Min;
import dev.weir.adaptive.signal.Sensors;
import dev.weir.adaptive.signal.Signals;
import dev.weir.adaptive.state.SavedStateFile;
import dev.weir.adaptive.warmup.Ramp;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The examples in the Javadoc of the entry types: they run, and are the same as here. */
class ExamplesTest {
    private final List<String> logged = new ArrayList<>();

    private void log(String line) {
        logged.add(line);
    }

    @Test
    void adaptiveControl() {
        // region AdaptiveControl
        ManagedLimiter limiter = Limiters.of("search", new Semaphore(20));
        AdaptiveControl control = AdaptiveControl.of(limiter, new Crest(), Bounds.of(1, 500));
        // end
        assertEquals(20, control.snapshot().limit());
        assertEquals(Bounds.of(1, 500), control.snapshot().bounds());
        control.close();
    }

    private record Response(long totalTokens) {}

    private interface Model {
        Response call();
    }

    @Test
    void learnedCost() {
        Model model = () -> new Response(500);
        Limiter limiter = Limiters.of("gpt-large", Settled.of(TokenBucket.of(400_000, Duration.ofMinutes(1))));
        // region LearnedCost
        LearnedCost tokens = LearnedCost.of("tokens", 2000);
        if (limiter.tryAcquire(tokens.request(Request.ONE, "gpt-large")) instanceof Permit permit) {
            Response response = model.call();
            permit.settle(response.totalTokens());
            tokens.settled("gpt-large", response.totalTokens());
            permit.release(Outcome.SUCCESS);
        }
        // end
        assertEquals(1234, tokens.request(Request.ONE, "gpt-large").cost());
    }

    @Test
    void crest() {
        ManagedLimiter limiter = Limiters.of("search", new Semaphore(20));
        // region Crest
        AdaptiveControl control = AdaptiveControl.builder(limiter, new Crest())
                .bounds(Bounds.of(1, 500))
                .onAdjustment(change -> log(change.from() + " to " + change.to() + ", " + change.why()))
                .build();
        // end
        assertEquals(List.of(), logged);
        control.close();
    }

    @Test
    void loadGuard() {
        ManagedLimiter limiter = Limiters.of("search", new Semaphore(20));
        // region LoadGuard
        Sensors sensors = Sensors.watching(Signals.smoothed(Signals.cpu(), Duration.ofSeconds(2)));
        AdaptiveControl control = AdaptiveControl.builder(limiter, Min.of(new Crest(), LoadGuard.on("cpu", 0.7, 0.85)))
                .signals(sensors::readings)
                .build();
        sensors.onRound(control::tick);
        // end
        assertEquals("cpu", sensors.health().get(0).name());
        sensors.close();
        control.close();
    }

    @Test
    void ramp() {
        ManagedLimiter limiter = Limiters.of("search", new Semaphore(200));
        // region Ramp
        Ramp ramp = Ramp.before(new Crest(), 200, Duration.ofMinutes(2));
        AdaptiveControl control = AdaptiveControl.of(limiter, ramp, Bounds.of(1, 500));
        // end
        assertEquals(20, control.snapshot().limit());
        control.close();
    }

    @Test
    void savedStateFile(@TempDir Path dir) {
        StrategySpec spec = new Semaphore(20);
        Path file = dir.resolve("weir.state");
        ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
        // region SavedStateFile
        SavedStateFile state = SavedStateFile.at(file).open();
        StrategySpec indebted = state.restored("search")
                .map(restored -> restored.withDebt(spec))
                .orElse(spec);
        ManagedLimiter limiter = Limiters.of("search", indebted);
        AdaptiveControl control =
                AdaptiveControl.builder(limiter, new Crest()).restoring(state).build();
        state.every(Duration.ofSeconds(5), scheduler);
        // end
        scheduler.shutdownNow();
        assertTrue(state.save());
        assertTrue(Files.exists(file));
        control.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "AdaptiveControl",
                "LearnedCost",
                "controller/Crest",
                "controller/LoadGuard",
                "warmup/Ramp",
                "state/SavedStateFile"
            })
    void theJavadocHasTheSameCode(String type) throws IOException {
        String here = Files.readString(Path.of("src/test/java/dev/weir/adaptive/ExamplesTest.java"));
        String name = type.substring(type.indexOf('/') + 1);
        String region = here.split("// region " + name + "\n", 2)[1].split("// end", 2)[0];
        String javadoc = Files.readString(Path.of("src/main/java/dev/weir/adaptive/" + type + ".java"));
        assertFalse(region.isBlank());
        assertTrue(unindented(javadoc.replaceAll("(?m)^ \\*", "")).contains(unindented(region)), region);
    }

    private static String unindented(String code) {
        return code.strip().replaceAll("(?m)^ +", "");
    }
}
