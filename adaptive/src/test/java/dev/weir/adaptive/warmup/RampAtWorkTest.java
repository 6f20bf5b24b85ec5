package dev.weir.adaptive.warmup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.Adjustment;
import dev.weir.adaptive.Bounds;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.RampCurve;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The ramp's hand on real limits, in virtual time. */
class RampAtWorkTest {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1000 * MILLI;
    private static final long FULL = 200;
    private static final Duration PERIOD = Duration.ofSeconds(20);
    private static final double FLOOR = 0.05;

    private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - 3 * SECOND);
    private final long origin = time.read();
    private final List<Adjustment> changes = new ArrayList<>();

    /** The curves once more, by hand. */
    private static DoubleUnaryOperator share(RampCurve curve) {
        return switch (curve) {
            case LINEAR -> part -> 0.05 + 0.95 * part;
            case EXPONENTIAL -> part -> Math.exp(Math.log(0.05) * (1 - part));
            case GUAVA -> part -> 1 / Math.sqrt(400 - 399 * part);
            case WEIGHTED -> part -> Math.max(0.01, Math.floor(part * 100) / 100);
        };
    }

    private AdaptiveControl.Builder ramped(ManagedLimiter limiter, RampCurve curve) {
        Ramp ramp = Ramp.builder(FULL, PERIOD)
                .along(curve)
                .from(FLOOR)
                .since(origin)
                .build();
        return AdaptiveControl.builder(limiter, ramp).ticker(time).onAdjustment(changes::add);
    }

    private double part() {
        return Math.min(1, (double) (time.read() - origin) / PERIOD.toNanos());
    }

    /** All that fit, each for 20 ms, for so long. */
    private void press(ManagedLimiter limiter, long nanos, Runnable eachMilli) {
        for (long passed = 0; passed < nanos; passed += MILLI) {
            while (limiter.tryAcquire() instanceof Permit permit) {
                time.alarm(20 * MILLI, () -> permit.release(Outcome.SUCCESS));
            }
            time.advance(MILLI);
            eachMilli.run();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aConcurrencyLimitFollowsTheCurve(RampCurve curve) {
        ManagedLimiter limiter =
                Limiters.builder("cold", new Semaphore(FULL)).ticker(time).build();
        try (AdaptiveControl control = ramped(limiter, curve).build()) {
            press(limiter, 30 * SECOND, () -> {
                long limit = limiter.dial().limit();
                assertTrue(limit >= 1 && limiter.inFlight() <= FULL, () -> limit + " at " + part());
                if (part() < 0.9) {
                    assertTrue(limit < FULL, () -> limit + " at " + part());
                }
                if (time.read() - origin >= 1.1 * PERIOD.toNanos()) {
                    assertEquals(FULL, limit);
                }
            });
            assertEquals(0, control.snapshot().failures());
        }
        int min = curve == RampCurve.GUAVA ? 30 : 60; // by Guava's most steps are of less than a permit
        assertTrue(changes.size() > min && changes.size() <= 101, () -> changes.size() + " steps");
        for (Adjustment change : changes) {
            double at = Math.min(1, (double) (change.window().at() - origin) / PERIOD.toNanos());
            double wanted = FULL * share(curve).applyAsDouble(at);
            assertEquals(wanted, change.to(), 0.1 * wanted + 0.5, () -> change.why() + " at " + at);
        }
    }

    @ParameterizedTest
    @EnumSource
    void admissionsPerSecondFollowTheCurve(RampCurve curve) {
        ManagedLimiter limiter = Limiters.builder(
                        "cold", TokenBucket.of(FULL, Duration.ofSeconds(1)).withCapacity(2))
                .ticker(time)
                .build();
        long[] admitted = {0};
        try (AdaptiveControl control = ramped(limiter, curve).build()) {
            for (int second = 0; second < 25; second++) {
                admitted[0] = 0;
                double expected = 0;
                for (int i = 0; i < 1000; i++) {
                    expected += FULL * share(curve).applyAsDouble(part()) / 1000;
                    admitted[0] += limiter.tryAcquire() instanceof Permit ? 1 : 0;
                    time.advance(MILLI);
                }
                double wanted = expected;
                int which = second;
                double late = curve == RampCurve.GUAVA ? 0.15 : 0.1; // its last second rises threefold
                assertEquals(wanted, admitted[0], late * wanted + 2, () -> "in second " + which);
            }
            assertEquals(0, control.snapshot().failures());
        }
        assertTrue(admitted[0] >= 199, () -> admitted[0] + " when warm");
    }

    @Test
    void isColdFromTheFirstRequestOn() {
        ManagedLimiter limiter =
                Limiters.builder("cold", new Semaphore(FULL)).ticker(time).build();
        try (AdaptiveControl control = ramped(limiter, RampCurve.LINEAR).build()) {
            assertEquals(10, control.snapshot().limit());
        }
    }

    @Test
    void aReconfigurationAndAnotherHandDoNotMakeItCold() {
        ManagedLimiter limiter =
                Limiters.builder("cold", new Semaphore(FULL)).ticker(time).build();
        try (AdaptiveControl control = ramped(limiter, RampCurve.LINEAR).build()) {
            press(limiter, 10 * SECOND, () -> {});
            long before = limiter.dial().limit();
            limiter.dial().setLimit(3);
            press(limiter, SECOND, () -> {});
            assertTrue(limiter.dial().limit() > before, () -> before + " -> " + control.snapshot());
            control.bounds(Bounds.of(1, 50));
            assertEquals(50, limiter.dial().limit());
            control.bounds(Bounds.of(1, 1000));
            press(limiter, SECOND, () -> {});
            assertEquals(
                    FULL * share(RampCurve.LINEAR).applyAsDouble(part()),
                    limiter.dial().limit(),
                    10);
            limiter.reconfigure(new Semaphore(FULL + 1));
            press(limiter, SECOND, () -> {});
            assertEquals(
                    FULL * share(RampCurve.LINEAR).applyAsDouble(part()),
                    limiter.dial().limit(),
                    10);
        }
    }

    @Test
    void afterIdlenessItIsColdAgainIfAsked() {
        ManagedLimiter limiter =
                Limiters.builder("cold", new Semaphore(FULL)).ticker(time).build();
        Ramp ramp =
                Ramp.builder(FULL, PERIOD).coolAfterIdle(Duration.ofSeconds(60)).build();
        try (AdaptiveControl control =
                AdaptiveControl.builder(limiter, ramp).ticker(time).build()) {
            press(limiter, 25 * SECOND, () -> {});
            assertEquals(FULL, limiter.dial().limit());
            for (int i = 0; i < 500; i++) {
                time.advance(100 * MILLI);
                control.tick();
            }
            press(limiter, SECOND, () -> {});
            assertEquals(FULL, limiter.dial().limit()); // 50 s
            time.advance(70 * SECOND);
            press(limiter, SECOND, () -> {});
            assertEquals(30, limiter.dial().limit(), 5);
        }
    }
}
