package dev.weir.adaptive.controller;

import static dev.weir.adaptive.contract.Windows.busy;
import static dev.weir.adaptive.contract.Windows.quiet;
import static dev.weir.adaptive.contract.Windows.same;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;
import dev.weir.adaptive.contract.ControllerContract;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnvoyGradientTest extends ControllerContract {
    private static final long SECOND = 1_000_000_000;

    @Override
    protected Controller controller() {
        return new EnvoyGradient();
    }

    /** The buffer of a quarter and the square root on top. */
    @Override
    protected double[] knee() {
        return new double[] {0.9, 1.8};
    }

    private static EnvoyGradient measured(double millis) {
        EnvoyGradient envoy = new EnvoyGradient();
        envoy.restore(Map.of("no-load", millis * 1e6), 1);
        return envoy;
    }

    @ParameterizedTest
    @CsvSource({
        "100,  20.0,  70", // g 12.5/20 = 0.625: 62.5 + 7.9
        " 70,  12.5,  78", // g 1: 70 + 8.37
        " 78, 100.0,  45", // g 0.125, so 0.5: 39 + 6.2
        " 45,   5.0,  99", // g 2.5, so 2: 90 + 9.5
        "  3, 100.0,   3", // g 0.5: 1.5 + 1.2, at least 3
        "  1,  10.0,   3",
    })
    void oneStepOverTenMillisecondsWithoutLoad(long limit, double millis, long answer) {
        assertEquals(answer, measured(10).next(busy(limit, millis).build(), limit));
    }

    @Test
    void itMeasuresUnderTheFirstDemandAndComesBack() {
        EnvoyGradient envoy = new EnvoyGradient();
        assertEquals(100, envoy.next(quiet(100, 10), 100));
        assertEquals(3, envoy.next(busy(100, 20).build(), 100));
        assertEquals("envoy: measuring without load", envoy.why());
        Window low = busy(3, 10).latencies(same(50, 10), same(90, 500)).build();
        assertEquals(100, envoy.next(low, 3));
        assertEquals(Map.of("no-load", 10e6), envoy.learned());
        assertEquals(70, envoy.next(busy(100, 20).build(), 100));
    }

    @Test
    void enoughIsATenthOfASecondOrFiftyLatenciesWithoutLoad() {
        EnvoyGradient envoy = new EnvoyGradient();
        assertTrue(envoy.enough(busy(100, 20).build()));
        assertFalse(envoy.enough(Window.lasting(99_999_999, 100).build()));
        envoy.next(busy(100, 20).build(), 100);
        assertTrue(envoy.enough(low(50)));
        assertFalse(envoy.enough(low(49)));
        assertTrue(envoy.enough(Window.lasting(10 * SECOND, 3).build()));
        assertTrue(envoy.enough(
                busy(25, 10).latencies(Latencies.NONE, Latencies.NONE).build()));
    }

    private static Window low(int latencies) {
        return busy(3, 10).latencies(same(latencies, 10), Latencies.NONE).build();
    }

    @Test
    void boundsThatLetItMoveStepByStepAreFollowed() {
        EnvoyGradient envoy = new EnvoyGradient();
        assertEquals(3, envoy.next(busy(100, 20).build(), 100));
        assertEquals(3, envoy.next(busy(25, 20).build(), 25));
        assertEquals(3, envoy.next(busy(6, 20).build(), 6));
        assertEquals(100, envoy.next(busy(3, 10).build(), 3));
        assertEquals(100, envoy.next(busy(12, 10).build(), 12));
        assertEquals(100, envoy.next(busy(48, 10).build(), 48));
        assertEquals(70, envoy.next(busy(100, 20).build(), 100));
    }

    @Test
    void boundsThatDoNotLetItDownToThreeDoNotStopIt() {
        EnvoyGradient envoy = new EnvoyGradient();
        assertEquals(3, envoy.next(busy(30, 20).build(), 30));
        assertEquals(3, envoy.next(busy(10, 20).build(), 10));
        assertEquals(30, envoy.next(busy(10, 10).build(), 10));
    }

    @Test
    void itGivesUpWhereNothingReturns() {
        EnvoyGradient envoy = new EnvoyGradient();
        envoy.next(busy(100, 20).build(), 100);
        assertEquals(100, envoy.next(low(4), 3));
        assertEquals(Map.of(), envoy.learned());
        assertEquals(100, envoy.next(busy(100, 20).build(), 100));
        assertEquals(100, envoy.next(busy(100, 20).build(), 100));
    }

    @Test
    void itMeasuresAgainAfterAMinuteAndSome() {
        assertNotEquals(secondsBetween(1), secondsBetween(2));
        assertEquals(secondsBetween(1), secondsBetween(1));
    }

    private static double secondsBetween(long seed) {
        EnvoyGradient envoy = new EnvoyGradient(Duration.ofSeconds(60), seed);
        envoy.next(busy(100, 10).build(), 100);
        envoy.next(low(50), 3);
        double seconds = 0;
        while (envoy.next(busy(100, 12.5).build(), 100) != 3) {
            seconds += 0.1;
        }
        double passed = seconds;
        assertTrue(passed >= 59.8 && passed <= 69, () -> "after " + passed);
        return passed;
    }

    @Test
    void fiveTimesThreeInARowMeasureAtOnce() {
        EnvoyGradient envoy = measured(10);
        for (int window = 0; window < 5; window++) {
            assertEquals(3, envoy.next(busy(3, 100).build(), 3));
            assertNotEquals("envoy: measuring without load", envoy.why());
        }
        assertEquals(3, envoy.next(busy(3, 100).build(), 3));
        assertEquals("envoy: measuring without load", envoy.why());
        assertEquals(3, envoy.next(busy(3, 100).build(), 3));
        assertEquals(Map.of("no-load", 100e6), envoy.learned());
        assertEquals(5, envoy.next(busy(3, 100).build(), 3)); // g 1.25: 3.75 + 1.9
    }

    @Test
    void thePeriodIsAtLeastASecond() {
        assertThrows(IllegalArgumentException.class, () -> new EnvoyGradient(Duration.ofMillis(999), 1));
    }
}
