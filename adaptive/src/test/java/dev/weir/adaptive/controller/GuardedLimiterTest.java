package dev.weir.adaptive.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.weir.Permit;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.signal.Sensors;
import dev.weir.adaptive.signal.Signals;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Sensors, a guard and a limiter put together, in virtual time. */
class GuardedLimiterTest {
    private static final Duration INTERVAL = Duration.ofMillis(500);

    private final VirtualTime time = new VirtualTime();
    private double cpu = 0.8;

    private void round(Sensors sensors) {
        time.advance(INTERVAL);
        sensors.round();
    }

    @Test
    void theLimitFollowsTheLoadRoundByRound() {
        ManagedLimiter limiter =
                Limiters.builder("api", new Semaphore(100)).ticker(time).build();
        LoadGuard guard = LoadGuard.builder("cpu")
                .between(0.7, 0.9)
                .target(0.8)
                .safe(40)
                .keepFor(1)
                .build();
        try (Sensors sensors = Sensors.builder()
                        .every(INTERVAL)
                        .ticker(time)
                        .readingOn(Runnable::run)
                        .watch(Signals.of("cpu", () -> cpu))
                        .build();
                AdaptiveControl control = AdaptiveControl.builder(limiter, guard)
                        .bounds(Bounds.of(10, 200))
                        .ticker(time)
                        .signals(sensors::readings)
                        .build()) {
            sensors.onRound(control::tick);
            assertInstanceOf(Permit.class, limiter.tryAcquire(60), "demand, held throughout");

            round(sensors);
            assertEquals(100, limiter.dial().limit(), "within the range");
            cpu = 1.0;
            round(sensors);
            assertEquals(80, limiter.dial().limit());
            assertEquals("load guard: cpu 1.00 above 0.90", control.snapshot().why());
            cpu = 0;
            round(sensors);
            assertEquals(88, limiter.dial().limit(), "10 % up");

            cpu = Double.NaN;
            for (int i = 0; i < 3; i++) {
                cpuIsStillKnown(sensors, limiter);
            }
            for (int i = 0; i < 30; i++) {
                round(sensors);
            }
            assertEquals(40, limiter.dial().limit(), "the safe limit, and no lower");
            assertEquals(0, control.snapshot().failures());
        }
    }

    private void cpuIsStillKnown(Sensors sensors, ManagedLimiter limiter) {
        long before = limiter.dial().limit();
        round(sensors);
        assertEquals(
                Math.round(before * 1.1), limiter.dial().limit(), "the last good reading counts for three intervals");
    }
}
