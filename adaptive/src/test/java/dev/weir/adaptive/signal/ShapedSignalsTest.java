package dev.weir.adaptive.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Smoothing and hysteresis. */
@Tag("property")
class ShapedSignalsTest {
    private static final long MILLI = 1_000_000;

    private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - 700 * MILLI);
    private double raw;

    private Smoothed smoothed() {
        return new Smoothed(Signals.of("x", () -> raw), Duration.ofSeconds(2), time);
    }

    @Test
    void aStepIsNineTenthsDoneInTheStatedTimeHoweverItIsSampled() {
        for (long every : new long[] {10, 100, 250, 500, 1000, 2000}) {
            Smoothed smoothed = smoothed();
            raw = 0;
            smoothed.read();
            raw = 1;
            double last = 0;
            for (long at = every; at <= 2000; at += every) {
                assertTrue(last < 0.9, "not before");
                time.advance(every * MILLI);
                last = smoothed.read();
            }
            assertEquals(0.9, last, 1e-9, "every " + every + " ms");
        }
    }

    @Test
    void aStepIsDoneInTimeAtUnevenReadingsToo() {
        Seed.forAll(50, random -> {
            Smoothed smoothed = smoothed();
            raw = 0;
            smoothed.read();
            raw = 1;
            long passed = 0;
            double last = 0;
            while (passed < 2000) {
                long step = random.nextLong(1, 900);
                passed += step;
                time.advance(step * MILLI);
                last = smoothed.read();
            }
            assertEquals(1 - StrictMath.pow(10, -passed / 2000.0), last, 1e-9);
        });
    }

    @Test
    void theFirstReadingStandsAndHalfTheTimeLeavesASquareRootOfATenth() {
        Smoothed smoothed = smoothed();
        raw = 0.4;
        assertEquals(0.4, smoothed.read());
        raw = 1.4;
        time.advance(1000 * MILLI);
        assertEquals(1.4 - Math.sqrt(0.1), smoothed.read(), 1e-12);
        assertEquals(1.4 - Math.sqrt(0.1), smoothed.read(), 1e-12, "no time, no change");
    }

    @Test
    void whatIsNotFinitePassesAndPoisonsNothing() {
        Smoothed smoothed = smoothed();
        raw = 0.5;
        smoothed.read();
        for (double bad : new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
            raw = bad;
            time.advance(MILLI);
            assertTrue(Double.isNaN(smoothed.read()));
        }
        raw = 0.5;
        assertEquals(0.5, smoothed.read(), 1e-12);
        raw = -Double.MAX_VALUE;
        time.advance(500 * MILLI);
        smoothed.read();
        raw = Double.MAX_VALUE;
        time.advance(500 * MILLI);
        assertTrue(Double.isFinite(smoothed.read()));
    }

    @Test
    void aClockThatGoesBackCountsAsNoTime() {
        Smoothed smoothed = smoothed();
        raw = 0;
        smoothed.read();
        raw = 1;
        time.jumpTo(time.read() - 3_600_000 * MILLI);
        assertEquals(0, smoothed.read());
        time.advance(2000 * MILLI);
        assertEquals(0.9, smoothed.read(), 1e-12);
    }

    @Test
    void shapedSignalsKeepTheNameAndTheSource() {
        Smoothed cpu = new Smoothed(new PressureSignal(Path.of("/")), Duration.ofSeconds(1), time);
        assertEquals("pressure", cpu.name());
        assertEquals(SignalSource.NONE, new Hysteresis(cpu, 0.5, 0.6, 0.7).source());
    }

    @Test
    void theGradeRisesOnOneSlopeAndFallsOnAnother() {
        Hysteresis grade = new Hysteresis(Signals.of("x", () -> raw), 0.6, 0.7, 0.9);
        double[][] readingAndGrade = {
            {0.65, 0},
            {0.70, 0},
            {0.75, 0.25},
            {0.80, 0.5},
            {0.75, 0.5}, // within the play of 0.1
            {0.70, 0.5}, // its end: falling(0.70) = 0.5
            {0.66, 0.3},
            {0.72, 0.3}, // turned, the play again
            {0.78, 0.4},
            {2.00, 1},
            {0.80, 1},
            {0.78, 0.9},
            {0.60, 0},
            {-9, 0},
        };
        for (double[] row : readingAndGrade) {
            raw = row[0];
            assertEquals(row[1], grade.read(), 1e-9, "at " + raw);
        }
    }

    @Test
    void aNotFiniteReadingLeavesTheGrade() {
        Hysteresis grade = new Hysteresis(Signals.of("x", () -> raw), 0.6, 0.7, 0.9);
        raw = 0.8;
        grade.read();
        raw = Double.POSITIVE_INFINITY;
        assertTrue(Double.isNaN(grade.read()));
        raw = 0.75;
        assertEquals(0.5, grade.read(), 1e-9);
    }

    @Test
    void theGradeNeverJumpsFurtherThanTheReading() {
        Seed.forAll(50, random -> {
            Hysteresis grade = new Hysteresis(Signals.of("x", () -> raw), 0.5, 0.6, 0.9);
            raw = random.nextDouble();
            double before = grade.read();
            for (int i = 0; i < 200; i++) {
                double moved = random.nextDouble(-0.2, 0.2);
                raw += moved;
                double after = grade.read();
                assertTrue(Math.abs(after - before) <= Math.abs(moved) / 0.3 + 1e-9);
                before = after;
            }
        });
    }

    @Test
    void wrongShapesAreRefused() {
        raw = 0;
        var x = Signals.of("x", () -> raw);
        assertThrows(IllegalArgumentException.class, () -> new Smoothed(x, Duration.ZERO, time));
        assertThrows(IllegalArgumentException.class, () -> new Hysteresis(x, 0.5, 0.7, 0.7));
        assertThrows(IllegalArgumentException.class, () -> new Hysteresis(x, 0.8, 0.7, 0.9));
        assertThrows(IllegalArgumentException.class, () -> new Hysteresis(x, Double.NaN, 0.7, 0.9));
    }
}
