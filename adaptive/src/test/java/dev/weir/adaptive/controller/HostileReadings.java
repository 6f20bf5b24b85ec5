package dev.weir.adaptive.controller;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import dev.weir.testkit.Seed;
import java.util.SplittableRandom;
import java.util.function.DoubleFunction;

/** Readings that a broken sensor gives, and what a controller of one signal must keep to whatever it reads. */
final class HostileReadings {
    private HostileReadings() {}

    /** Evaluates 200 windows with such readings: each limit is at least 1, and within -30 % and +10 %. Returns the last. */
    static long evaluate(Controller controller, SplittableRandom random, DoubleFunction<Window> windows) {
        long limit = random.nextLong(1, 1_000_000);
        for (int i = 0; i < 200; i++) {
            long next = controller.next(windows.apply(reading(random)), limit);
            assertTrue(next >= 1);
            assertTrue(next >= Math.floor(limit * 0.7) - 1 && next <= limit * 1.1 + 1, limit + " to " + next);
            assertTrue(controller.why().length() < 100);
            limit = next;
        }
        return limit;
    }

    private static double reading(SplittableRandom random) {
        return Seed.oneOf(
                random,
                Double.NaN,
                Double.POSITIVE_INFINITY,
                Double.NEGATIVE_INFINITY,
                -1.0,
                0.0,
                Double.MIN_VALUE,
                1e300,
                Double.MAX_VALUE,
                random.nextDouble());
    }
}
