package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class EnvoyGradientTest {
    private static final long MILLI = 1_000_000;

    private static EnvoyGradient measured(boolean pins) {
        EnvoyGradient envoy = new EnvoyGradient(0.5, pins, 1);
        for (int i = 0; i < 50; i++) {
            envoy.left(100 * MILLI, 90 * MILLI, 3, false);
        }
        return envoy;
    }

    private static void window(EnvoyGradient envoy, long endMillis, long rttMillis) {
        envoy.left((endMillis - 1) * MILLI, (endMillis - 1 - rttMillis) * MILLI, 1, false);
        envoy.admits(endMillis * MILLI, 0, 0);
    }

    /*
     * minRTT 10 ms, measured at 100 ms. Windows end at 200, 300, ...
     * 10 ms: g = 1.25; 3 x 1.25 = 3.75, + sqrt 1.936 = 5.69 -> 5
     * 10 ms: 6.25 + 2.5 = 8.75 -> 8
     * 5 ms:  g = 2 (2.5 cut); 16 + 4 = 20
     * 50 ms: g = .5 (.25 cut); 10 + 3.16 -> 13
     * none:  13
     */
    @Test
    void followsTheGradientWithinItsBounds() {
        EnvoyGradient envoy = measured(true);
        assertEquals(3, envoy.limit());
        window(envoy, 200, 10);
        assertEquals(5, envoy.limit());
        window(envoy, 300, 10);
        assertEquals(8, envoy.limit());
        window(envoy, 400, 5);
        assertEquals(20, envoy.limit());
        window(envoy, 500, 50);
        assertEquals(13, envoy.limit());
        envoy.admits(600 * MILLI, 0, 0);
        assertEquals(13, envoy.limit());
        assertTrue(envoy.admits(600 * MILLI, 12, 0));
        assertTrue(!envoy.admits(600 * MILLI, 13, 0));
    }

    /* The next measurement is due 60 to 69 s after the first; only what starts within it counts. */
    @Test
    void holdsTheLeastLimitWhileItMeasuresAndThenGoesOnWhereItWas() {
        EnvoyGradient envoy = measured(true);
        window(envoy, 200, 10);
        envoy.admits(60_000 * MILLI, 0, 0);
        assertEquals(5, envoy.limit());
        envoy.admits(69_200 * MILLI, 0, 0);
        assertEquals(3, envoy.limit());
        for (int i = 0; i < 49; i++) {
            envoy.left(70_000 * MILLI, 69_500 * MILLI, 3, false);
            envoy.left(70_000 * MILLI, 50_000 * MILLI, 3, false);
        }
        assertEquals(3, envoy.limit());
        envoy.left(70_000 * MILLI, 69_500 * MILLI, 3, false);
        assertEquals(5, envoy.limit());
    }

    @Test
    void measuresLiveTrafficWhenItDoesNotPin() {
        EnvoyGradient envoy = measured(false);
        window(envoy, 200, 10);
        envoy.admits(69_200 * MILLI, 0, 0);
        assertEquals(5, envoy.limit());
    }

    /* 3 x .5 + sqrt(1.5) = 2.7 -> 3 five times, then minRTT is 40 ms and a window of 40 ms lets the limit grow. */
    @Test
    void measuresAgainWhenStuckAtTheLeastLimit() {
        EnvoyGradient envoy = measured(true);
        for (int i = 2; i <= 6; i++) {
            window(envoy, 100 * i, 40);
        }
        assertEquals(3, envoy.limit());
        for (int i = 0; i < 50; i++) {
            envoy.left(700 * MILLI, 660 * MILLI, 3, false);
        }
        window(envoy, 800, 40);
        assertEquals(5, envoy.limit());
    }
}
