package dev.weir.adaptive.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Window;
import dev.weir.testkit.Seed;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("property")
class LoadGuardTest {
    private static final long INTERVAL = 500_000_000;

    private final LoadGuard guard = LoadGuard.builder("cpu")
            .between(0.6, 0.9)
            .target(0.8)
            .safe(50)
            .keepFor(2)
            .build();

    private static Window window(double cpu, boolean demand) {
        return Window.lasting(INTERVAL, 100)
                .requests(10, demand ? 1 : 0)
                .inFlight(1, 5)
                .signal("cpu", cpu)
                .build();
    }

    private static Window silent() {
        return Window.lasting(INTERVAL, 100).requests(10, 1).inFlight(1, 5).build();
    }

    @Test
    void aboveTheRangeItShrinksInProportion() {
        assertEquals(842, guard.next(window(0.95, true), 1000), "1000 * 0.8 / 0.95");
        assertEquals("load guard: cpu 0.95 above 0.90", guard.why());
        assertEquals(800, guard.next(window(1.0, false), 1000), "also without a rejection");
        assertEquals(700, guard.next(window(50, true), 1000), "but by no more than 30 %");
        assertEquals(3, guard.next(window(0.91, true), 4), "by at least 1");
        assertEquals(1, guard.next(window(1, true), 1), "never below 1");
    }

    @Test
    void withinTheRangeItHolds() {
        for (double load : new double[] {0.6, 0.75, 0.9}) {
            assertEquals(1000, guard.next(window(load, true), 1000));
        }
        assertEquals("load guard: cpu 0.90 within range", guard.why());
    }

    @Test
    void belowTheRangeItGrowsOnlyOnDemand() {
        assertEquals(1100, guard.next(window(0, true), 1000), "10 % from nothing");
        assertEquals(1075, guard.next(window(0.3, true), 1000), "7.5 % from half way");
        assertEquals("load guard: cpu 0.30 below 0.60", guard.why());
        assertEquals(4, guard.next(window(0.5, true), 3), "by at least 1");
        assertEquals(1000, guard.next(window(0.3, false), 1000));
        assertEquals("load guard: cpu 0.30, no demand", guard.why());
    }

    @Test
    void withoutTheSignalItFreezesThenGoesToTheSafeLimitAndNoFurther() {
        long limit = 60;
        long[] expected = {60, 60, 57, 54, 51, 50, 50, 50};
        for (long next : expected) {
            limit = guard.next(silent(), limit);
            assertEquals(next, limit);
        }
        assertEquals("load guard: no reading of cpu, no lower than 50", guard.why());
        assertEquals(20, guard.next(silent(), 20), "it never raises");
        guard.next(window(0.7, true), 60);
        assertEquals(60, guard.next(silent(), 60), "the count starts over");
        assertEquals("load guard: no reading of cpu, kept", guard.why());
    }

    @Test
    void whatIsNoLoadIsNoReading() {
        for (double bad :
                new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -1, -Double.MIN_VALUE}) {
            guard.next(window(0.7, true), 100);
            assertEquals(100, guard.next(window(bad, true), 100));
            assertEquals("load guard: no reading of cpu, kept", guard.why());
        }
    }

    @Test
    void idleChangesNothing() {
        Window idle = Window.lasting(INTERVAL, 100).signal("cpu", 1.0).build();
        for (int i = 0; i < 100; i++) {
            assertEquals(100, guard.next(idle, 100));
        }
        assertEquals("load guard: idle", guard.why());
    }

    @Test
    void aWindowIsEnoughWhenItHasAReadingOfItsOwn() {
        assertFalse(guard.enough(Window.lasting(INTERVAL - 1, 1).build()));
        assertTrue(guard.enough(Window.lasting(INTERVAL, 1).build()));
        LoadGuard slow = LoadGuard.builder("cpu").every(Duration.ofSeconds(2)).build();
        assertFalse(slow.enough(Window.lasting(INTERVAL, 1).build()));
    }

    @Test
    void settlesWhereTheLoadIsWithinTheRange() {
        long limit = 10;
        for (int i = 0; i < 60; i++) {
            limit = guard.next(window(Math.min(1, limit / 200.0), true), limit);
        }
        assertTrue(limit >= 120 && limit <= 180, "limit was " + limit);
        limit = 10_000;
        for (int i = 0; i < 60; i++) {
            limit = guard.next(window(Math.min(1, limit / 200.0), true), limit);
        }
        assertTrue(limit >= 120 && limit <= 180, "limit was " + limit);
    }

    @Test
    void hostileReadingsKeepItPositiveBoundedAndWithinItsStep() {
        Seed.forAll(200, random -> {
            LoadGuard hostile = LoadGuard.builder("cpu").safe(10).build();
            long before = HostileReadings.evaluate(
                    hostile, random, value -> random.nextInt(5) == 0 ? silent() : window(value, random.nextBoolean()));
            assertEquals(before, hostile.next(window(0.8, true), before), "a good reading has its usual effect");
        });
    }

    @Test
    void theLargestLimitDoesNotOverflow() {
        assertEquals(Long.MAX_VALUE, guard.next(window(0, true), Long.MAX_VALUE));
        assertTrue(guard.next(window(1, true), Long.MAX_VALUE) > 0);
    }

    @Test
    void wrongGuardsAreRefused() {
        LoadGuard.Builder builder = LoadGuard.builder("cpu");
        assertThrows(IllegalArgumentException.class, () -> builder.between(0, 1));
        assertThrows(IllegalArgumentException.class, () -> builder.between(0.8, 0.8));
        assertThrows(IllegalArgumentException.class, () -> builder.between(0.8, Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> builder.target(0.9));
        assertThrows(IllegalArgumentException.class, () -> builder.safe(0));
        assertThrows(IllegalArgumentException.class, () -> builder.keepFor(-1));
        assertThrows(IllegalArgumentException.class, () -> builder.every(Duration.ZERO));
    }
}
