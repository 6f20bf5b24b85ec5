package dev.weir.adaptive.signal;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Signal;
import dev.weir.adaptive.signal.SensorHealth.State;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** With its own threads. */
class SensorThreadsTest {
    private static final Duration INTERVAL = Duration.ofMillis(20);

    private final Set<Thread> readers = ConcurrentHashMap.newKeySet();
    private final AtomicInteger hung = new AtomicInteger();
    private final AtomicBoolean interrupted = new AtomicBoolean();
    private final CountDownLatch release = new CountDownLatch(1);

    private Signal hanging(String name) {
        return Signals.of(name, () -> {
            readers.add(Thread.currentThread());
            hung.getAndIncrement();
            try {
                release.await();
            } catch (InterruptedException stopped) {
                interrupted.set(true);
                throw new IllegalStateException(stopped);
            }
            return 0.5;
        });
    }

    private Signal well(AtomicInteger rounds) {
        return Signals.of("well", () -> {
            readers.add(Thread.currentThread());
            return rounds.incrementAndGet();
        });
    }

    private static State state(Sensors sensors, int index) {
        return sensors.health().get(index).state();
    }

    @Test
    void hangingSensorsStopNobodyAndHoldAThreadEach() {
        AtomicInteger rounds = new AtomicInteger();
        try (Sensors sensors = Sensors.builder()
                .every(INTERVAL)
                .timeout(Duration.ofMillis(400))
                .watch(hanging("disk"), hanging("net"), well(rounds))
                .start()) {
            await().until(() -> rounds.get() >= 10 && hung.get() >= 2);
            assertEquals(State.HANGS, state(sensors, 0));
            assertEquals(State.HANGS, state(sensors, 1));
            await().until(() -> state(sensors, 2) == State.GOOD);
            assertEquals(2, hung.get(), "each was asked once");
            await().until(() -> readers.stream().filter(Thread::isAlive).count() == 3); // two that hang, one that reads
            assertTrue(readers.stream().allMatch(Thread::isDaemon));

            release.countDown();
            await().until(() -> state(sensors, 0) == State.GOOD && state(sensors, 1) == State.GOOD);
            await().until(
                            () -> sensors.readings().get("disk"),
                            reading -> Double.valueOf(0.5).equals(reading));
            await().until(() -> readers.stream().filter(Thread::isAlive).count() == 1);
        }
        await().until(() -> readers.stream().noneMatch(Thread::isAlive));
    }

    @Test
    void fiftyThatHangDelayTheFirstReadingByTwoTimeouts() {
        AtomicInteger rounds = new AtomicInteger();
        Signal[] signals = new Signal[51];
        for (int i = 0; i < 50; i++) {
            signals[i] = hanging("hanging " + i);
        }
        signals[50] = well(rounds);
        try (Sensors sensors = Sensors.builder()
                .every(Duration.ofSeconds(1))
                .timeout(Duration.ofSeconds(3))
                .watch(signals)
                .start()) {
            // one after the other, they would take 150 s; readings are good for three intervals
            await().atMost(Duration.ofMinutes(2)).until(() -> sensors.readings().containsKey("well"));
            await().until(() -> hung.get() == 50);
            assertTrue(sensors.health().subList(0, 50).stream().allMatch(each -> each.state() == State.HANGS));
        }
        await().until(() -> readers.stream().noneMatch(Thread::isAlive));
    }

    @Test
    void closeStopsTheThreadsAlsoThatOfAHangingSensor() {
        AtomicInteger rounds = new AtomicInteger();
        AtomicInteger told = new AtomicInteger();
        Set<Thread> clock = ConcurrentHashMap.newKeySet();
        Sensors sensors = Sensors.builder()
                .every(INTERVAL)
                .timeout(INTERVAL)
                .watch(hanging("disk"), well(rounds))
                .start();
        sensors.onRound(() -> {
            clock.add(Thread.currentThread());
            told.getAndIncrement();
            Thread.currentThread().interrupt(); // what a careless listener leaves behind
        });
        await().until(() -> told.get() >= 3 && hung.get() == 1);
        sensors.close();
        await().untilTrue(interrupted);
        await().until(() -> readers.stream().noneMatch(Thread::isAlive));
        await().until(() -> clock.stream().noneMatch(Thread::isAlive));
        assertEquals(1, clock.size());
    }

    @Test
    void anInterruptLeftByAListenerDoesNotHurryTheRounds() {
        AtomicInteger told = new AtomicInteger();
        try (Sensors sensors = Sensors.builder()
                .every(Duration.ofHours(1))
                .timeout(Duration.ofHours(1))
                .watch(hanging("first"))
                .start()) {
            sensors.onRound(() -> {
                told.getAndIncrement();
                Thread.currentThread().interrupt();
            });
            release.countDown();
            await().until(() -> told.get() > 0);
            await().during(Duration.ofMillis(200)).until(() -> told.get() == 1);
        }
    }

    @Test
    void closeDoesNotWaitForALongInterval() {
        Sensors sensors = Sensors.builder()
                .every(Duration.ofHours(1))
                .timeout(Duration.ofHours(1))
                .watch(hanging("disk"))
                .start();
        await().until(() -> hung.get() == 1);
        sensors.close();
        await().until(() -> readers.stream().noneMatch(Thread::isAlive));
    }
}
