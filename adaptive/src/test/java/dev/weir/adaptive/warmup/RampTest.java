package dev.weir.adaptive.warmup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;
import dev.weir.spi.RampCurve;
import dev.weir.testkit.Seed;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("property")
class RampTest {
    private static final long SECOND = 1_000_000_000;
    private static final Duration PERIOD = Duration.ofSeconds(100);

    /** A second's window that ends then, with demand. */
    private static Window.Builder ending(long second) {
        return Window.lasting(SECOND, 1).at(second * SECOND).requests(10, 10).inFlight(1, 1);
    }

    private static Window calls(long second, long... latencies) {
        return ending(second).latencies(Latencies.of(latencies), Latencies.NONE).build();
    }

    private static long[] ten(long latency) {
        long[] all = new long[10];
        java.util.Arrays.fill(all, latency);
        return all;
    }

    @ParameterizedTest
    @CsvSource({
        "LINEAR,      0.1,  1000,   0,  100",
        "LINEAR,      0.1,  1000,  15,  235",
        "LINEAR,      0.1,  1000,  50,  550",
        "LINEAR,      0.1,  1000,  99,  991",
        "LINEAR,      0.1,  1000, 100, 1000",
        "EXPONENTIAL, 0.01, 1000,   0,   10",
        "EXPONENTIAL, 0.01, 1000,  50,  100",
        "EXPONENTIAL, 0.01, 1000,  75,  316",
        "EXPONENTIAL, 0.01, 1000, 100, 1000",
        "WEIGHTED,    0.1,   200,   0,    2",
        "WEIGHTED,    0.1,   200,  15,   30",
        "WEIGHTED,    0.1,   200,  99,  198",
        "WEIGHTED,    0.1,   200, 100,  200",
        "WEIGHTED,    0.1,     3,   0,    1",
    })
    void followsItsCurve(RampCurve curve, double floor, long full, long second, long limit) {
        Ramp ramp = Ramp.builder(full, PERIOD).along(curve).from(floor).since(0).build();
        ramp.start(full);
        assertEquals(limit, ramp.next(ending(second).build(), full));
    }

    @Test
    void beginsColdAndAtTheFirstWindowUnlessTold() {
        Ramp ramp = Ramp.to(1000, PERIOD);
        assertEquals(100, ramp.start(1000));
        assertEquals(109, ramp.next(ending(5001).build(), 100));
        assertEquals(118, ramp.next(ending(5002).build(), 109));
    }

    @Test
    void takesAboutAHundredSteps() {
        Ramp ramp = Ramp.to(1000, PERIOD);
        assertTrue(ramp.enough(Window.lasting(SECOND, 1).build()));
        assertEquals(false, ramp.enough(Window.lasting(SECOND - 1, 1).build()));
        Ramp brief = Ramp.to(1000, Duration.ofMillis(500));
        assertTrue(brief.enough(Window.lasting(10_000_000, 1).build()));
    }

    @Test
    void isNeverZeroAndNeverFallsOnTheWay() {
        Seed.forAll(300, random -> {
            long full = 1 + random.nextLong(1L << random.nextInt(1, 40));
            long origin = random.nextLong();
            Ramp ramp = Ramp.builder(full, PERIOD)
                    .along(RampCurve.values()[random.nextInt(4)])
                    .from(Math.max(1e-9, random.nextDouble()))
                    .since(origin)
                    .build();
            long limit = ramp.start(full);
            long now = origin;
            for (int i = 0; i < 50; i++) {
                now += random.nextLong(8 * SECOND) - 2 * SECOND; // also back
                long next = ramp.next(
                        Window.lasting(1 + random.nextLong(SECOND), limit)
                                .at(now)
                                .build(),
                        limit);
                assertTrue(next >= 1 && next <= full && next >= limit, next + " after " + limit + " of " + full);
                limit = next;
            }
        });
    }

    @Test
    void neitherOtherBoundsNorAnotherHandMakeItCold() {
        Ramp ramp = Ramp.builder(1000, PERIOD).since(0).build();
        ramp.start(1000);
        assertEquals(550, ramp.next(ending(50).build(), 100));
        assertEquals(559, ramp.next(ending(51).build(), 7));
        assertEquals(568, ramp.next(ending(52).build(), 5000));
        assertEquals(1000, ramp.next(ending(100).build(), 1));
        assertEquals(1000, ramp.next(ending(101).build(), 3));
    }

    @Test
    void startsAgainAfterIdlenessOnlyIfAsked() {
        Ramp cooling = Ramp.builder(1000, PERIOD)
                .since(0)
                .coolAfterIdle(Duration.ofSeconds(30))
                .build();
        Ramp staying = Ramp.builder(1000, PERIOD).since(0).build();
        for (Ramp ramp : new Ramp[] {cooling, staying}) {
            ramp.start(1000);
            assertEquals(1000, ramp.next(ending(100).build(), 1));
            assertEquals(1000, ramp.next(ending(130).build(), 1000)); // 29 s of nothing
        }
        assertTrue(cooling.enough(ending(161).build()));
        assertEquals(109, cooling.next(ending(161).build(), 1000)); // 30 s of nothing
        assertEquals(118, cooling.next(ending(162).build(), 109));
        assertEquals(1000, staying.next(ending(161).build(), 1000));
    }

    @Test
    void leavesEarlyWhenLatencyIsHealthy() {
        Ramp ramp = Ramp.builder(1000, PERIOD)
                .since(0)
                .unlessHealthy(Duration.ofNanos(1000), 1.2, 3)
                .build();
        ramp.start(1000);
        assertEquals(109, ramp.next(calls(1, ten(1200)), 100));
        assertEquals(118, ramp.next(calls(2, ten(1200)), 109));
        assertEquals(127, ramp.next(calls(3, ten(1201)), 118)); // too slow: from the start
        assertEquals(136, ramp.next(calls(4, ten(1100)), 127));
        assertEquals(145, ramp.next(calls(5, 1100), 136)); // too few to say: does not count
        assertEquals(154, ramp.next(calls(6, ten(1100)), 145));
        assertEquals(1000, ramp.next(calls(7, ten(1100)), 154));
        assertEquals("ramp: left early, latency is healthy", ramp.why());
        assertEquals(1000, ramp.next(calls(8, ten(9999)), 1000));
    }

    @Test
    void fastFailuresAndIdlersAreNoHealth() {
        Ramp ramp = Ramp.builder(1000, PERIOD)
                .since(0)
                .unlessHealthy(Duration.ofNanos(1000), 1.2, 1)
                .build();
        ramp.start(1000);
        Latencies fast = Latencies.of(ten(10));
        Window dropping =
                ending(1).ended(10, 1, 0).latencies(fast, Latencies.NONE).build();
        Window unpressed = Window.lasting(SECOND, 1000)
                .at(2 * SECOND)
                .requests(10, 0)
                .inFlight(0, 1)
                .latencies(fast, Latencies.NONE)
                .build();
        assertEquals(109, ramp.next(dropping, 100));
        assertEquals(118, ramp.next(unpressed, 109));
        assertEquals(1000, ramp.next(calls(3, ten(10)), 118));
    }

    @Test
    void aHealthyLatencyIsRestoredAfterARestart() {
        Ramp first = Ramp.builder(1000, PERIOD)
                .since(0)
                .unlessHealthyAsBefore(1.2, 1)
                .build();
        first.start(1000);
        assertEquals(550, first.next(calls(50, ten(10)), 100)); // nothing is known of health yet
        assertEquals(Map.of(), first.learned());
        first.next(calls(100, ten(1000)), 550);
        assertEquals(Map.of("ramp.healthyNanos", 1000.0), first.learned());
        first.next(calls(101, ten(2000)), 1000);
        assertEquals(Map.of("ramp.healthyNanos", 1100.0), first.learned());

        Ramp second = Ramp.builder(1000, PERIOD)
                .since(0)
                .unlessHealthyAsBefore(1.2, 1)
                .build();
        second.restore(first.learned(), 0.01);
        second.start(1000);
        assertEquals(109, second.next(calls(1, ten(1400)), 100));
        assertEquals(1000, second.next(calls(2, ten(1300)), 109));

        Ramp poisoned = Ramp.builder(1000, PERIOD)
                .since(0)
                .unlessHealthyAsBefore(1.2, 1)
                .build();
        poisoned.restore(Map.of("ramp.healthyNanos", Double.POSITIVE_INFINITY), 1);
        assertEquals(109, poisoned.next(calls(1, ten(1)), 100));
    }

    /** Answers what it is told, when a window is two seconds long. */
    private static final class Told implements Controller {
        private long answer;
        private long lastLimit;

        @Override
        public long next(Window window, long limit) {
            lastLimit = limit;
            return answer;
        }

        @Override
        public boolean enough(Window window) {
            return window.nanos() >= 2 * SECOND;
        }

        @Override
        public String why() {
            return "told: " + answer;
        }
    }

    @Test
    void isTheLesserOfBothAndThenTheOther() {
        Told then = new Told();
        Ramp ramp = Ramp.builder(1000, PERIOD).since(0).before(then).build();
        assertEquals(100, ramp.start(400)); // a tenth of 1000; the other would begin at 400
        then.answer = 110;
        assertEquals(109, ramp.next(ending(1).build(), 100)); // not enough for the other yet
        assertEquals(118, ramp.next(ending(2).build(), 109));
        assertEquals(109, then.lastLimit);
        then.answer = 60; // fewer than are in force: heard at once
        ramp.next(ending(3).build(), 118);
        assertEquals(60, ramp.next(ending(4).build(), 127));
        then.answer = 90;
        ramp.next(ending(5).build(), 60);
        assertEquals(90, ramp.next(ending(6).build(), 60));
        then.answer = 700;
        ramp.next(ending(7).build(), 90);
        assertEquals(172, ramp.next(ending(8).build(), 90));
        assertEquals("ramp: at most 172, 8 % of the period", ramp.why());
        then.answer = 180; // a rise from what the ramp allows is no news
        ramp.next(ending(9).build(), 172);
        assertEquals(190, ramp.next(ending(10).build(), 172));
        then.answer = 800;
        assertEquals(700, ramp.next(ending(100).build(), 190)); // what it wanted, until it is asked again
        assertEquals("told: 800", ramp.why());
        assertTrue(ramp.enough(ending(101).build()));
        assertEquals(800, ramp.next(ending(101).build(), 700));
        then.answer = 900;
        assertEquals(false, ramp.enough(ending(102).build()));
    }

    @Test
    void whatTheOtherWantedOutlivesARestartDuringTheRamp() {
        Told then = new Told();
        Ramp first = Ramp.builder(1000, PERIOD).since(0).before(then).build();
        assertEquals(100, first.start(400));
        assertEquals(Map.of("ramp.wanted", 400.0), first.learned());

        for (double trust : new double[] {0, 0.5, 1}) {
            Told again = new Told();
            Ramp second = Ramp.builder(1000, PERIOD).since(0).before(again).build();
            second.restore(first.learned(), trust);
            assertEquals(100, second.start(100)); // in force before
            again.answer = 5000;
            second.next(ending(99).build(), 100);
            long wanted = trust == 0 ? 100 : trust == 0.5 ? 200 : 400;
            assertEquals(Map.of("ramp.wanted", (double) wanted), second.learned());
        }
        Ramp poisoned = Ramp.builder(1000, PERIOD).before(new Told()).build();
        poisoned.restore(Map.of("ramp.wanted", Double.NaN), 1);
        assertEquals(50, poisoned.start(50));
    }

    @Test
    void refusesWhatMakesNoSense() {
        assertThrows(IllegalArgumentException.class, () -> Ramp.to(0, PERIOD));
        assertThrows(IllegalArgumentException.class, () -> Ramp.to(1, Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> Ramp.to(1, Duration.ofSeconds(Long.MAX_VALUE)));
        Ramp.Builder builder = Ramp.builder(1, PERIOD);
        assertThrows(IllegalArgumentException.class, () -> builder.from(0));
        assertThrows(IllegalArgumentException.class, () -> builder.from(Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> builder.unlessHealthy(Duration.ZERO, 2, 1));
        assertThrows(IllegalArgumentException.class, () -> builder.unlessHealthyAsBefore(0.9, 1));
        assertThrows(IllegalArgumentException.class, () -> builder.unlessHealthyAsBefore(2, 0));
        assertThrows(IllegalArgumentException.class, () -> builder.coolAfterIdle(Duration.ofSeconds(9)));
    }
}
