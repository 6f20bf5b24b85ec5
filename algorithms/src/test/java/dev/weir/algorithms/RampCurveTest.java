package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.Request;
import dev.weir.spi.RampCurve;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The curves of a warm-up, worked by hand and compared with their model. */
class RampCurveTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration TEN = Duration.ofSeconds(10);

    @Test
    void truthTableOfTheCurves() {
        // Limit 1000, floor 10 %, over 256 s, one step per second. At steps 0, 64, 128, 192, 255, 256:
        // linear 100 + 900 t: 100, 325, 550, 775, 996.48, 1000.
        assertEquals(List.of(100L, 325L, 550L, 775L, 997L, 1000L), limits(RampCurve.LINEAR));
        // exponential 1000 * 0.1^(1 - t): 100, 177.8, 316.2, 562.3, 991.05, 1000.
        assertEquals(List.of(100L, 178L, 317L, 563L, 992L, 1000L), limits(RampCurve.EXPONENTIAL));
        // Guava, c = 10: 1000 / sqrt(100 - 99 t): 100, 115.3, 140.7, 197.04, 849.1, 1000.
        assertEquals(List.of(100L, 116L, 141L, 198L, 850L, 1000L), limits(RampCurve.GUAVA));
    }

    private static List<Long> limits(RampCurve curve) {
        VirtualTime time = new VirtualTime(Long.MAX_VALUE - 5);
        Strategy strategy = new WarmUp(new Semaphore(1000), Duration.ofSeconds(256), 10, curve, null).create(time);
        List<Long> limits = new ArrayList<>();
        for (long pause : new long[] {0, 64, 64, 64, 63, 1}) {
            time.advance(Duration.ofSeconds(pause));
            strategy.acquire(Request.ONE);
            limits.add(strategy.limit());
        }
        return limits;
    }

    /** Guava's own model, by stored permits (SmoothWarmingUp), taken one by one without a pause. */
    @Test
    void guavasCurveIsThatOfItsStoredPermits() {
        double cold = 3;
        double period = 10; // seconds, at a stable 1000 per second: in stable intervals 10,000
        double stable = 0.001;
        double threshold = 0.5 * period / stable;
        double max = threshold + 2 * period / (stable + cold * stable);
        double slope = (cold * stable - stable) / (max - threshold);
        double at = 0;
        for (double stored = max; stored > threshold; stored--) {
            double interval = stable + slope * (stored - threshold);
            double ours = 1000 * RampCurve.GUAVA.share(1 / cold, Math.min(1, at / period));
            assertEquals(1 / interval, ours, 0.002 / interval, "at " + at);
            at += interval;
        }
        assertEquals(period, at, 0.01);
    }

    @Test
    void R3_refusesInvalidRamps() {
        StrategySpec target = new Semaphore(5);
        assertThrows(IllegalArgumentException.class, () -> WarmUp.of(target, Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> new WarmUp(target, TEN, 0, RampCurve.LINEAR, null));
        assertThrows(IllegalArgumentException.class, () -> new WarmUp(target, TEN, 101, RampCurve.LINEAR, null));
        assertThrows(
                IllegalArgumentException.class,
                () -> new WarmUp(target, TEN, 5, RampCurve.LINEAR, Duration.ofSeconds(-1)));
        Strategy largest = new WarmUp(TokenBucket.of(1L << 60, SECOND), TEN, 100, RampCurve.LINEAR, null)
                .create(new VirtualTime());
        assertEquals(1L << 60, largest.limit());
    }
}
