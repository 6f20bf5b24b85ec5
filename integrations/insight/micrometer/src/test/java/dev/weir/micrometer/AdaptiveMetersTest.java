package dev.weir.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.ControlView;
import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Signal;
import dev.weir.adaptive.Window;
import dev.weir.adaptive.controller.Crest;
import dev.weir.adaptive.controller.Min;
import dev.weir.adaptive.signal.Sensors;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.VirtualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AdaptiveMetersTest {
    private final VirtualTime time = new VirtualTime();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ManagedLimiter limiter =
            Limiters.builder("checkout\n", new Semaphore(1)).ticker(time).build();

    /** Raises the limit by one at each slice. */
    private static final class Raising implements Controller {
        @Override
        public boolean enough(Window window) {
            return true;
        }

        @Override
        public long next(Window window, long limit) {
            return limit + 1;
        }

        @Override
        public String why() {
            return "raising: as ever";
        }
    }

    private static final class Broken implements Signal {
        private int reads;

        @Override
        public String name() {
            return "cpu";
        }

        @Override
        public double read() {
            if (reads++ > 0) {
                throw new IllegalStateException("made up");
            }
            return 0.5;
        }
    }

    private double gauge(String meter) {
        return registry.get(meter).tag("name", "checkout_").gauge().value();
    }

    private double counter(String meter) {
        return registry.get(meter).tag("name", "checkout_").functionCounter().count();
    }

    private void calls(int count) {
        for (int call = 0; call < count; call++) {
            Permit permit = (Permit) limiter.tryAcquire();
            time.advance(10_000_000);
            permit.release(Outcome.SUCCESS);
        }
    }

    @Test
    void whatItTurnedAndWhy() {
        try (AdaptiveControl control = AdaptiveControl.builder(limiter, new Raising())
                .bounds(Bounds.of(1, 100))
                .ticker(time)
                .build()) {
            AdaptiveMeters meters = AdaptiveMeters.of(control);
            meters.bindTo(registry);
            assertThrows(IllegalStateException.class, () -> meters.bindTo(registry));
            assertEquals(1, gauge("weir.adaptive.limit.min"));
            assertEquals(100, gauge("weir.adaptive.limit.max"));
            calls(3);
            assertEquals(3, counter("weir.adaptive.updates"));
            assertEquals(0, counter("weir.adaptive.failures"));
            assertEquals(0, counter("weir.adaptive.unusable"));
            meters.close();
            assertTrue(registry.getMeters().isEmpty());
            calls(1);
        }
        assertTrue(registry.getMeters().isEmpty());
    }

    /** Has seen joint dips. */
    private record Dipped(double queue) implements Controller {
        @Override
        public long next(Window window, long limit) {
            return limit;
        }

        @Override
        public String why() {
            return "dipped: as ever";
        }

        @Override
        public Map<String, Double> learned() {
            return Map.of("knee", 9.0, "queue", queue);
        }
    }

    private double queueSeenBy(Controller controller) {
        try (AdaptiveControl control =
                        AdaptiveControl.builder(limiter, controller).build();
                AdaptiveMeters meters = AdaptiveMeters.of(ControlView.of(control))) {
            meters.bindTo(registry);
            calls(30);
            return gauge("weir.adaptive.queue");
        }
    }

    @Test
    void theQueueAtTheLastJointDip() {
        assertEquals(3.5, queueSeenBy(new Dipped(3.5)));
        assertEquals(2, queueSeenBy(Min.of(new Raising(), new Dipped(1.5), Min.of(new Dipped(2)))));
        assertEquals(Double.NaN, queueSeenBy(new Raising()), "no joint dips");
        assertEquals(0, queueSeenBy(new Crest()), "none yet");
    }

    @Test
    void anotherControlOfTheSameNameIsRefusedAndRemovesNothing() {
        ManagedLimiter twin = Limiters.of(limiter.name(), new Semaphore(1));
        try (AdaptiveControl control = AdaptiveControl.of(limiter, new Crest(), Bounds.of(1, 100));
                AdaptiveControl other = AdaptiveControl.of(twin, new Crest(), Bounds.of(7, 9));
                AdaptiveMeters meters = AdaptiveMeters.of(control)) {
            AdaptiveMeters others = AdaptiveMeters.of(other);
            meters.bindTo(registry);
            assertThrows(IllegalStateException.class, () -> others.bindTo(registry));
            others.close();
            assertEquals(100, gauge("weir.adaptive.limit.max"));
        }
        assertTrue(registry.getMeters().isEmpty());
    }

    @Test
    void changesByRuleAreMetersOfItsLimiter() {
        try (AdaptiveControl control = AdaptiveControl.builder(limiter, new Raising())
                        .ticker(time)
                        .build();
                WeirMeters meters = WeirMeters.of(limiter)) {
            meters.bindTo(registry);
            calls(3);
            assertEquals(3, control.snapshot().updates());
            assertEquals(
                    3,
                    registry.get("weir.limit.changes")
                            .tag("why", "raising")
                            .counter()
                            .count());
        }
    }

    @Test
    void signalsAndHowTheirSensorsAre() {
        try (Sensors sensors =
                        Sensors.builder().watch(new Broken()).ticker(time).build();
                AdaptiveControl control = AdaptiveControl.builder(limiter, new Raising())
                        .ticker(time)
                        .signals(sensors::readings)
                        .build();
                AdaptiveMeters meters = AdaptiveMeters.of(control, sensors)) {
            meters.bindTo(registry);
            assertEquals(Double.NaN, gauge("weir.signal"));
            sensors.round();
            assertEquals(0.5, gauge("weir.signal"));
            assertEquals(1, state("good"));
            sensors.round();
            assertEquals(0, state("good"));
            assertEquals(1, state("throws"));
            assertEquals(1, counter("weir.signal.failures"));
        }
        assertTrue(registry.getMeters().isEmpty());
    }

    private double state(String state) {
        return registry.get("weir.signal.health")
                .tag("signal", "cpu")
                .tag("state", state)
                .gauge()
                .value();
    }
}
