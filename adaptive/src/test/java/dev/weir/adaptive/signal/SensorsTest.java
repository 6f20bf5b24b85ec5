package dev.weir.adaptive.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Signal;
import dev.weir.adaptive.signal.SensorHealth.State;
import dev.weir.testkit.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Rounds by hand, on the test's thread and in virtual time. */
class SensorsTest {
    private static final Duration INTERVAL = Duration.ofMillis(500);

    private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - INTERVAL.toNanos());
    private double value = 0.5;
    private boolean broken;

    private final Signal steady = Signals.of("steady", () -> 0.25);
    private final Signal varying = Signals.of("varying", () -> {
        if (broken) {
            throw new StackOverflowError("broken");
        }
        return value;
    });

    private Sensors.Builder watch() {
        return Sensors.builder().every(INTERVAL).ticker(time).readingOn(Runnable::run);
    }

    private static void rounds(int count, VirtualTime time, Sensors sensors) {
        for (int i = 0; i < count; i++) {
            time.advance(INTERVAL);
            sensors.round();
        }
    }

    private static SensorHealth health(Sensors sensors, String name) {
        return sensors.health().stream()
                .filter(sensor -> sensor.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void readingsAreThereAfterTheFirstRoundAndNotBefore() {
        try (Sensors sensors = watch().watch(steady, varying).build()) {
            assertEquals(Map.of(), sensors.readings());
            assertEquals(
                    new SensorHealth("steady", State.UNAVAILABLE, Double.NaN, -1, "", 0), health(sensors, "steady"));
            sensors.round();
            assertEquals(Map.of("steady", 0.25, "varying", 0.5), sensors.readings());
            time.advance(7);
            assertEquals(new SensorHealth("steady", State.GOOD, 0.25, 7, "", 0), health(sensors, "steady"));
            assertThrows(
                    UnsupportedOperationException.class,
                    () -> sensors.readings().clear());
        }
    }

    @Test
    void oneThatThrowsIsSetAsideAndComesBack() {
        try (Sensors sensors = watch().watch(varying, steady).build()) {
            sensors.round();
            broken = true;
            rounds(3, time, sensors);
            assertEquals(Map.of("steady", 0.25, "varying", 0.5), sensors.readings(), "three intervals old");
            rounds(1, time, sensors);
            assertEquals(Map.of("steady", 0.25), sensors.readings(), "older");
            long age = 4 * INTERVAL.toNanos();
            assertEquals(new SensorHealth("varying", State.THROWS, 0.5, age, "", 4), health(sensors, "varying"));
            broken = false;
            value = 0.75;
            rounds(1, time, sensors);
            assertEquals(0.75, sensors.readings().get("varying"));
            assertEquals(new SensorHealth("varying", State.GOOD, 0.75, 0, "", 4), health(sensors, "varying"));
        }
    }

    @Test
    void whatIsNotFiniteIsUnavailable() {
        try (Sensors sensors = watch().watch(varying).build()) {
            for (double bad : new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
                value = bad;
                rounds(1, time, sensors);
                assertEquals(Map.of(), sensors.readings());
                assertEquals(State.UNAVAILABLE, health(sensors, "varying").state());
            }
            assertEquals(0, health(sensors, "varying").failures(), "nothing to read is no failure");
        }
    }

    @Test
    void whatShouldMoveAndDoesNotIsStuck() {
        value = 0;
        try (Sensors sensors = watch().watch(steady).watchMoving(varying).build()) {
            rounds(Sensor.SAME - 1, time, sensors);
            assertEquals(State.GOOD, health(sensors, "varying").state());
            rounds(1, time, sensors);
            assertEquals(State.STUCK, health(sensors, "varying").state());
            assertTrue(sensors.readings().containsKey("varying"), "its last good one is an interval old");
            rounds(3, time, sensors);
            assertEquals(Map.of("steady", 0.25), sensors.readings(), "what may stand still does");
            value = 1e-300;
            rounds(1, time, sensors);
            assertEquals(State.GOOD, health(sensors, "varying").state());
            assertEquals(1e-300, sensors.readings().get("varying"));
        }
    }

    @Test
    void oneThatHangsIsNotAskedAgainUntilItReturns() {
        Deque<Runnable> held = new ArrayDeque<>();
        List<String> asked = new ArrayList<>();
        boolean[] holding = {true};
        Signal slow = Signals.of("slow", () -> asked.size());
        try (Sensors sensors = Sensors.builder()
                .every(INTERVAL)
                .timeout(Duration.ofMillis(1))
                .ticker(time)
                .readingOn(task -> {
                    asked.add("x");
                    if (holding[0] && asked.size() == 1) {
                        held.add(task);
                    } else {
                        task.run();
                    }
                })
                .watch(slow, steady)
                .build()) {
            rounds(5, time, sensors);
            assertEquals(State.HANGS, health(sensors, "slow").state());
            assertEquals(1, health(sensors, "slow").failures(), "it hung once");
            assertEquals(6, asked.size(), "once the slow one, five times the steady one");
            assertEquals(Map.of("steady", 0.25), sensors.readings());
            Objects.requireNonNull(held.poll()).run();
            assertEquals(State.HANGS, health(sensors, "slow").state(), "what it read so late is of no use");
            rounds(1, time, sensors);
            assertEquals(State.GOOD, health(sensors, "slow").state());
            assertEquals(7.0, sensors.readings().get("slow"));
        }
    }

    @Test
    void oneThatIsAlwaysLateIsReadWithoutWaitingForIt() {
        Deque<Runnable> held = new ArrayDeque<>();
        try (Sensors sensors = Sensors.builder()
                .every(INTERVAL)
                .timeout(Duration.ofNanos(1))
                .ticker(time)
                .readingOn(held::add)
                .watch(varying)
                .build()) {
            sensors.round();
            assertEquals(State.HANGS, health(sensors, "varying").state());
            for (int i = 1; i <= 10; i++) {
                value = i;
                held.remove().run(); // returns between two rounds
                rounds(1, time, sensors);
                assertEquals(Map.of("varying", (double) i), sensors.readings());
                assertEquals(
                        new SensorHealth("varying", State.GOOD, i, INTERVAL.toNanos(), "", 1),
                        health(sensors, "varying"));
                assertEquals(1, held.size(), "the next one is under way");
            }
            rounds(1, time, sensors);
            assertEquals(State.HANGS, health(sensors, "varying").state(), "not back within an interval");
            assertEquals(2, health(sensors, "varying").failures());
        }
    }

    @Test
    void oneThatWasLateIsWaitedForOnceItIsInTime() {
        Deque<Runnable> held = new ArrayDeque<>();
        boolean[] holding = {true};
        try (Sensors sensors = Sensors.builder()
                .every(INTERVAL)
                .timeout(Duration.ofMillis(300))
                .ticker(time)
                .readingOn(task -> {
                    if (holding[0]) {
                        held.add(task);
                    } else {
                        task.run();
                    }
                })
                .watch(varying)
                .build()) {
            sensors.round();
            held.remove().run();
            holding[0] = false;
            rounds(2, time, sensors);
            assertEquals(new SensorHealth("varying", State.GOOD, 0.5, 0, "", 1), health(sensors, "varying"));
            holding[0] = true;
            rounds(1, time, sensors);
            assertEquals(2, health(sensors, "varying").failures(), "it was waited for");
        }
    }

    @Test
    void oneThatThrowsLateIsCounted() {
        Deque<Runnable> held = new ArrayDeque<>();
        broken = true;
        try (Sensors sensors = Sensors.builder()
                .every(INTERVAL)
                .timeout(Duration.ofNanos(1))
                .ticker(time)
                .readingOn(held::add)
                .watch(varying)
                .build()) {
            sensors.round();
            held.remove().run();
            rounds(1, time, sensors);
            assertEquals(State.THROWS, health(sensors, "varying").state());
            assertEquals(2, health(sensors, "varying").failures());
        }
    }

    @Test
    void anInterruptedRoundLeavesNoFailureBehind() {
        boolean[] holding = {true};
        try (Sensors sensors = Sensors.builder()
                .every(INTERVAL)
                .timeout(Duration.ofHours(1))
                .ticker(time)
                .readingOn(task -> {
                    if (!holding[0]) {
                        task.run();
                    }
                })
                .watch(varying)
                .build()) {
            Thread.currentThread().interrupt();
            sensors.round();
            assertTrue(Thread.interrupted());
            holding[0] = false;
            rounds(1, time, sensors);
            assertEquals(new SensorHealth("varying", State.GOOD, 0.5, 0, "", 0), health(sensors, "varying"));
        }
    }

    @Test
    void anExecutorThatRefusesIsAFailure() {
        try (Sensors sensors = Sensors.builder()
                .every(INTERVAL)
                .ticker(time)
                .readingOn(task -> {
                    throw new java.util.concurrent.RejectedExecutionException();
                })
                .watch(varying, steady)
                .build()) {
            rounds(2, time, sensors);
            assertEquals(State.THROWS, health(sensors, "varying").state());
            assertEquals(2, health(sensors, "steady").failures());
        }
    }

    @Test
    void readingsEndWithTheRounds() {
        try (Sensors sensors = watch().watch(steady).build()) {
            sensors.round();
            time.advance(3 * INTERVAL.toNanos());
            assertEquals(Map.of("steady", 0.25), sensors.readings());
            time.advance(1);
            assertEquals(Map.of(), sensors.readings());
        }
    }

    @Test
    void aClockThatGoesBackDoesNoHarm() {
        try (Sensors sensors = watch().watch(steady).build()) {
            sensors.round();
            time.jumpTo(time.read() - Duration.ofHours(1).toNanos());
            assertEquals(Map.of("steady", 0.25), sensors.readings());
            assertEquals(0, health(sensors, "steady").ageNanos());
            sensors.round();
            assertEquals(Map.of("steady", 0.25), sensors.readings());
        }
    }

    @Test
    void listenersSeeTheRoundsReadingsAndCannotBreakIt() {
        try (Sensors sensors = watch().watch(varying).build()) {
            List<Double> seen = new ArrayList<>();
            var broken = sensors.onRound(() -> {
                throw new IllegalStateException();
            });
            var listening = sensors.onRound(() -> seen.add(sensors.readings().get("varying")));
            sensors.round();
            value = 0.75;
            sensors.round();
            assertEquals(List.of(0.5, 0.75), seen);
            assertEquals(2, sensors.failures());
            broken.close();
            listening.close();
            listening.close();
            sensors.round();
            assertEquals(2, seen.size());
            assertEquals(2, sensors.failures());
        }
    }

    @Test
    void aRoundWithinARoundDoesNothing() {
        try (Sensors sensors = watch().watch(steady).build()) {
            List<String> rounds = new ArrayList<>();
            sensors.onRound(() -> {
                rounds.add("x");
                sensors.round();
            });
            sensors.round();
            assertEquals(1, rounds.size());
        }
    }

    @Test
    void afterCloseNothingIsRead() {
        Sensors sensors = watch().watch(steady).build();
        sensors.round();
        sensors.close();
        sensors.close();
        assertEquals(Map.of(), sensors.readings());
        List<String> rounds = new ArrayList<>();
        sensors.onRound(() -> rounds.add("x"));
        sensors.round();
        assertTrue(rounds.isEmpty());
    }

    @Test
    void healthTellsTheSource() {
        CpuSignal cpu = new CpuSignal(Path.of("/"), time);
        try (Sensors sensors = watch().watch(new Smoothed(cpu, INTERVAL, time)).build()) {
            sensors.round();
            String source = health(sensors, "cpu").source();
            assertFalse(source.isEmpty());
            assertEquals(cpu.source().toString(), source);
        }
    }

    @Test
    void wrongWatchesAreRefused() {
        Sensors.Builder builder = Sensors.builder().watch(steady);
        assertThrows(IllegalArgumentException.class, () -> builder.watchMoving(Signals.of("steady", () -> 1)));
        assertThrows(IllegalArgumentException.class, () -> builder.every(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> builder.timeout(Duration.ofNanos(-1)));
    }
}
