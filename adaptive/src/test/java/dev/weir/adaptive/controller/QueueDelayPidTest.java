package dev.weir.adaptive.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Window;
import dev.weir.adaptive.controller.QueueDelayPid.Gains;
import dev.weir.testkit.Seed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("property")
class QueueDelayPidTest {
    private static final double TARGET = 0.02;

    private static Window window(long millis, double delay, boolean demand) {
        return Window.lasting(millis * 1_000_000, 100)
                .requests(10, demand ? 1 : 0)
                .inFlight(1, 5)
                .signal("delay", delay)
                .build();
    }

    private static Window window(double targets) {
        return window(500, targets * TARGET, true);
    }

    private static QueueDelayPid pid(double kp, double ki, double kd) {
        return new QueueDelayPid("delay", TARGET, new Gains(kp, ki, kd), 1);
    }

    @Test
    void theIntegralPartGoesByTimeAndError() {
        QueueDelayPid pid = pid(0, 0.1, 0);
        assertEquals(950, pid.next(window(2), 1000), "1 - 0.1 * 0.5 s * 1");
        assertEquals("queue delay pid: delay 2.00 of target", pid.why());
        assertEquals(950, pid.next(window(1), 950), "on target");
        assertEquals(998, pid.next(window(0), 950), "997.5");
        assertEquals(898, pid.next(window(60_000, 1.5 * TARGET, true), 998), "a long window counts as 2 s: -10 %");
    }

    @Test
    void theProportionalPartGoesByTheMove() {
        QueueDelayPid pid = pid(0.1, 1e-9, 0);
        assertEquals(1000, pid.next(window(3), 1000), "no move known yet");
        assertEquals(950, pid.next(window(3.5), 1000), "up by half a target: -5 %");
        assertEquals(950, pid.next(window(3.5), 950), "no move");
        assertEquals(1045, pid.next(window(2), 950), "down by 1.5 targets: +10 % at most");
    }

    @Test
    void theDerivativePartGoesByTheChangeOfSpeed() {
        QueueDelayPid pid = pid(0, 1e-9, 0.05);
        assertEquals(1000, pid.next(window(1), 1000));
        assertEquals(1000, pid.next(window(1.5), 1000), "one target a second, before it was unknown");
        assertEquals(1000, pid.next(window(2), 1000), "as fast");
        assertEquals(950, pid.next(window(3), 1000), "two a second, one faster: -5 %");
        assertEquals(1045, pid.next(window(3), 950), "two slower: +10 %");
    }

    @Test
    void aChangeIsClamped() {
        assertEquals(700, pid(0, 10, 0).next(window(500), 1000));
        assertEquals(1100, pid(0, 10, 0).next(window(0), 1000));
    }

    @Test
    void nothingWindsUpAtABound() {
        QueueDelayPid pid = pid(0.02, 0.2, 0);
        long limit = 100;
        for (int i = 0; i < 1000; i++) {
            limit = Math.min(200, pid.next(window(0), limit));
        }
        assertEquals(200, limit);
        long lowered = pid.next(window(2), limit);
        assertTrue(lowered < 200, "turns at once, was " + lowered);
    }

    @Test
    void fractionsAddUpUnlessSomebodyElseSetTheLimit() {
        QueueDelayPid pid = pid(0, 0.1, 0);
        long limit = 8;
        long[] expected = {8, 9}; // 8.4, 8.82
        for (long next : expected) {
            limit = pid.next(window(0), limit);
            assertEquals(next, limit);
        }
        assertEquals(5, pid.next(window(0), 5), "5.25, of 8.82 nothing is left");
    }

    @Test
    void itGrowsOnlyOnDemandButShrinksWithout() {
        QueueDelayPid pid = pid(0, 0.1, 0);
        assertEquals(1000, pid.next(window(500, 0, false), 1000));
        assertEquals("queue delay pid: delay 0.00 of target, no demand", pid.why());
        assertEquals(950, pid.next(window(500, 2 * TARGET, false), 1000));
        Window idle = Window.lasting(500_000_000, 100).signal("delay", 1.0).build();
        assertEquals(1000, pid.next(idle, 1000));
    }

    @Test
    void withoutTheSignalItFreezesThenGoesToTheSafeLimit() {
        QueueDelayPid pid = new QueueDelayPid("delay", TARGET, new Gains(0.1, 1e-9, 0), 90);
        pid.next(window(1), 100);
        Window silent = Window.lasting(500_000_000, 100).requests(1, 1).build();
        for (int i = 0; i < 5; i++) {
            assertEquals(100, pid.next(silent, 100));
        }
        assertEquals("queue delay pid: no reading of delay, kept", pid.why());
        assertEquals(95, pid.next(silent, 100));
        assertEquals("queue delay pid: no reading of delay, towards 90", pid.why());
        assertEquals(90, pid.next(silent, 91));
        assertEquals(90, pid.next(silent, 90));
        assertEquals(1000, pid.next(window(9), 1000), "no kick from what was before");
    }

    @Test
    void holdsTheDelayOfAPoolWithAQueue() {
        // 20 workers of 10 ms: what is in flight beyond them waits, at 2,000 a second
        for (long start : new long[] {1, 21, 300}) {
            QueueDelayPid pid = new QueueDelayPid("delay", TARGET);
            long limit = start;
            double delay = 0;
            for (int i = 0; i < 400; i++) {
                delay = Math.max(0, limit - 20) / 2000.0;
                limit = pid.next(window(delay / TARGET), limit);
            }
            assertEquals(TARGET, delay, TARGET * 0.1, "from " + start);
        }
    }

    @Test
    void theUsualGainsAreStableOnASteepDelay() {
        // 500 workers of 10 ms and 1 ms to wait: 1 % of 550 is a tenth of the 50 that may wait
        for (long millis : new long[] {100, 500, 1000}) {
            QueueDelayPid pid = new QueueDelayPid("delay", 0.001);
            long limit = 1000;
            for (int i = 0; i < 100; i++) {
                limit = pid.next(window(millis, Math.max(0, limit - 500) / 50_000.0, true), limit);
            }
            assertEquals(550, limit, 5, "in windows of " + millis + " ms");
        }
    }

    @Test
    void hostileReadingsKeepItPositiveBoundedAndWithinItsStep() {
        Seed.forAll(200, random -> {
            QueueDelayPid pid = pid(random.nextDouble(1e6), random.nextDouble(1e-9, 1e6), random.nextDouble(1e6));
            HostileReadings.evaluate(
                    pid,
                    random,
                    value -> random.nextInt(4) == 0
                            ? Window.lasting(1, 1)
                                    .requests(1, 1)
                                    .signal("delay", value)
                                    .build()
                            : window(500, value, random.nextBoolean()));
        });
    }

    @Test
    void wrongSettingsAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new QueueDelayPid("delay", 0));
        assertThrows(IllegalArgumentException.class, () -> new QueueDelayPid("delay", Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> new QueueDelayPid("delay", 1, Gains.USUAL, 0));
        assertThrows(IllegalArgumentException.class, () -> new Gains(-1, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new Gains(0, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> new Gains(0, 1, Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> new Gains(0, Double.POSITIVE_INFINITY, 0));
    }
}
