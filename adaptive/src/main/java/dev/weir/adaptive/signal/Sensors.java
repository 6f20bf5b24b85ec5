package dev.weir.adaptive.signal;

import dev.weir.Ticker;
import dev.weir.adaptive.Signal;
import dev.weir.internal.Durations;
import dev.weir.internal.Require;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A sampler that reads each of several signals every interval, on threads of its own, and returns their last good readings at
 * once. A sensor that throws, hangs, is stuck or has nothing to read has no reading until it works again; the others are read as
 * before. Thread-safe.
 *
 * <p>It has two daemon threads, one for the timer and one that reads; a sensor that hangs occupies one more thread and is not
 * read again until it returns. Its next reading is not waited for: the following round takes it, and after the first reading
 * that ends in time, the sensor is read like the others.
 */
public final class Sensors implements AutoCloseable {
    /*
     * A round reads the sensors (drawn in SensorThreads), publishes the good readings, then calls the listeners. Only rounds
     * write, and `busy` admits one at a time; a second one at the same time does nothing.
     */
    private static final int OLDEST_INTERVALS = 3;

    private record Published(Map<String, Double> readings, long at) {}

    private final List<Sensor> sensors;
    private final Ticker ticker;
    private final long intervalNanos;
    private final long timeoutNanos;
    private final SensorThreads threads;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final AtomicBoolean busy = new AtomicBoolean();
    private final AtomicLong failures = new AtomicLong();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Published published;
    private volatile @Nullable Thread timer;

    private Sensors(Builder builder) {
        sensors = List.copyOf(builder.sensors);
        ticker = builder.ticker;
        intervalNanos = builder.intervalNanos;
        timeoutNanos = builder.timeoutNanos;
        threads = new SensorThreads(builder.executor);
        published = new Published(Map.of(), ticker.read());
    }

    /**
     * Reads these signals every 500 ms from now on.
     *
     * @throws IllegalArgumentException if two have the same name
     */
    public static Sensors watching(Signal... signals) {
        return builder().watch(signals).start();
    }

    /** A builder with an interval of 500 ms and a timeout of 100 ms. */
    public static Builder builder() {
        return new Builder();
    }

    /** Options of sensors. Not thread-safe. */
    public static final class Builder {
        private final List<Sensor> sensors = new ArrayList<>();
        private final Set<String> names = new HashSet<>();
        private long intervalNanos = 500_000_000;
        private long timeoutNanos = 100_000_000;
        private Ticker ticker = Ticker.system();
        private @Nullable Executor executor;

        private Builder() {}

        /**
         * Adds signals that may read the same value for any time, as on an idle machine.
         *
         * @throws IllegalArgumentException if two have the same name
         */
        public Builder watch(Signal... signals) {
            return add(false, signals);
        }

        /**
         * Adds signals whose readings always differ: 20 equal readings in a row, also of 0, mean that the sensor is stuck. This
         * holds for {@link Signals#cpu()} on Linux, where the reading itself uses CPU time that is counted in microseconds; not
         * for shares, averages and sizes, which may stay the same.
         *
         * @throws IllegalArgumentException if two have the same name
         */
        public Builder watchMoving(Signal... signals) {
            return add(true, signals);
        }

        private Builder add(boolean moves, Signal... signals) {
            for (Signal signal : signals) {
                Sensor sensor = new Sensor(Objects.requireNonNull(signal, "signal"), moves);
                Require.that(names.add(sensor.name()), "names must differ", "twice " + sensor.name());
                sensors.add(sensor);
            }
            return this;
        }

        /** The time between rounds, more than 0. Default: 500 ms. */
        public Builder every(Duration between) {
            intervalNanos = Durations.nanos("interval", between);
            return this;
        }

        /** The longest reading, more than 0, by the system clock; one that takes longer counts as hanging. Default: 100 ms. */
        public Builder timeout(Duration longest) {
            timeoutNanos = Durations.nanos("timeout", longest);
            return this;
        }

        /** The clock that measures the age of readings. Default: {@link Ticker#system()}. */
        public Builder ticker(Ticker clock) {
            ticker = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /** Reads on this executor instead of a thread of its own; a reading that hangs then occupies a thread there. */
        public Builder readingOn(Executor other) {
            executor = Objects.requireNonNull(other, "other");
            return this;
        }

        /** Builds the sensors and starts the timer thread; the first round begins at once. */
        public Sensors start() {
            Sensors sensors = build();
            sensors.startTimer();
            return sensors;
        }

        /** Builds the sensors without a timer thread: the owner calls {@link Sensors#round()} every interval. */
        public Sensors build() {
            return new Sensors(this);
        }
    }

    private void startTimer() {
        Thread thread = new Thread(this::rounds, "weir-sensors");
        thread.setDaemon(true);
        timer = thread;
        thread.start();
    }

    /* Only close ends the loop: an interrupt that a listener left behind does not. */
    private void rounds() {
        boolean goesOn = true;
        while (goesOn) {
            round();
            Thread.interrupted();
            goesOn = awaitInterval();
        }
    }

    private boolean awaitInterval() {
        try {
            return !closed.await(intervalNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException early) {
            return closed.getCount() > 0;
        }
    }

    /**
     * Reads every sensor that does not hang, then calls the listeners. Waits for each reading up to the timeout; once one has
     * not ended in time, for all that remain together. Does nothing while another thread is in this method, and after close. If
     * the thread is interrupted, the round ends and the thread stays interrupted.
     */
    public void round() {
        if (closed.getCount() == 0 || !busy.compareAndSet(false, true)) {
            return;
        }
        try {
            threads.readAll(sensors, timeoutNanos, ticker);
            publish();
            notifyListeners();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            busy.set(false);
            if (closed.getCount() == 0) {
                end();
            }
        }
    }

    private void publish() {
        long now = ticker.read();
        Map<String, Double> good = new LinkedHashMap<>();
        for (Sensor sensor : sensors) {
            double value = sensor.value(now, OLDEST_INTERVALS * intervalNanos);
            if (!Double.isNaN(value)) {
                good.put(sensor.name(), value);
            }
        }
        published = new Published(Map.copyOf(good), now);
    }

    private void notifyListeners() {
        for (Runnable listener : listeners) {
            try {
                listener.run();
            } catch (Throwable thrown) {
                failures.getAndIncrement();
            }
        }
    }

    /**
     * The last good readings by name, none older than three intervals; unmodifiable. Empty after close, and if there was no
     * round for that long. Does not block.
     */
    public Map<String, Double> readings() {
        Published last = published;
        boolean old = closed.getCount() == 0 || ticker.read() - last.at > OLDEST_INTERVALS * intervalNanos;
        return old ? Map.of() : last.readings;
    }

    /** The state of each sensor, in the order they were added. Does not block. */
    public List<SensorHealth> health() {
        long now = ticker.read();
        return sensors.stream().map(sensor -> sensor.health(now)).toList();
    }

    /** The number of times that a listener threw. */
    public long failures() {
        return failures.get();
    }

    /**
     * Calls this after each round, on the thread of the round, until the registration is closed; {@code control::tick}, for
     * example. What it throws is counted. It must not block: the next round waits for it.
     */
    public Registration onRound(Runnable listener) {
        Objects.requireNonNull(listener, "listener");
        Runnable added = () -> listener.run();
        listeners.add(added);
        return () -> listeners.remove(added);
    }

    /** Stops the threads, and interrupts readings that hang; waits for none of them. Idempotent. */
    @Override
    public void close() {
        closed.countDown();
        Thread timing = timer;
        if (timing != null) {
            timing.interrupt();
        }
        end();
    }

    private void end() {
        threads.close();
        sensors.forEach(Sensor::stop);
    }
}
