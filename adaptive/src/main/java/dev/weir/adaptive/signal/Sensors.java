package dev.weir.adaptive.signal;

import dev.weir.Ticker;
import dev.weir.adaptive.Signal;
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
 * A watch over signals: reads each of them every interval, away from all traffic, and has their last good readings at
 * hand. A sensor that throws, hangs, sticks or has nothing to read is set aside until it is well again; the others are
 * read as before. Thread-safe.
 *
 * <p>It has two daemon threads, one that keeps time and one that reads; a sensor that hangs keeps a thread to itself and is
 * not read again until it returns. Its next reading is not waited for: the round after takes it, and from the first that was
 * in time, it is read as the others are.
 */
public final class Sensors implements AutoCloseable {
    /*
     * A round reads the sensors on the lane (drawn there), publishes what is good, then calls the listeners. Only rounds
     * write, and `busy` lets one at a time; a second one at the same time does nothing.
     */
    private static final int OLDEST_INTERVALS = 3;

    private record Published(Map<String, Double> readings, long at) {}

    private final List<Sensor> sensors;
    private final Ticker ticker;
    private final long intervalNanos;
    private final long timeoutNanos;
    private final SensorThreads lane;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final AtomicBoolean busy = new AtomicBoolean();
    private final AtomicLong failures = new AtomicLong();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Published published;
    private volatile @Nullable Thread clock;

    private Sensors(Builder asked) {
        sensors = List.copyOf(asked.sensors);
        ticker = asked.ticker;
        intervalNanos = asked.interval.toNanos();
        timeoutNanos = asked.timeout.toNanos();
        lane = new SensorThreads(asked.executor);
        published = new Published(Map.of(), ticker.read());
    }

    /** Watches these from now on, every 500 ms. */
    public static Sensors watching(Signal... signals) {
        return builder().watch(signals).start();
    }

    /** For a watch of one's own. */
    public static Builder builder() {
        return new Builder();
    }

    /** What a watch is made of; not thread-safe. */
    public static final class Builder {
        private static final Duration USUAL_INTERVAL = Duration.ofMillis(500);
        private static final Duration USUAL_TIMEOUT = Duration.ofMillis(100);

        private final List<Sensor> sensors = new ArrayList<>();
        private final Set<String> names = new HashSet<>();
        private Duration interval = USUAL_INTERVAL;
        private Duration timeout = USUAL_TIMEOUT;
        private Ticker ticker = Ticker.system();
        private @Nullable Executor executor;

        private Builder() {}

        /**
         * Watches these; they may read the same for as long as they like, as an idle machine does.
         *
         * @throws IllegalArgumentException if two have the same name
         */
        public Builder watch(Signal... signals) {
            for (Signal signal : signals) {
                add(signal, false);
            }
            return this;
        }

        /**
         * Watches these, of which no two readings in a row should be the same to the last digit: 20 in a row that are,
         * also of 0, tell of a stuck sensor. That is so of {@link CpuSignal} on Linux, where the reading itself costs CPU
         * time that is counted to the microsecond; not of shares, averages and sizes, which may well stand still.
         */
        public Builder watchMoving(Signal... signals) {
            for (Signal signal : signals) {
                add(signal, true);
            }
            return this;
        }

        private void add(Signal signal, boolean moves) {
            Sensor sensor = new Sensor(Objects.requireNonNull(signal, "signal"), moves);
            if (!names.add(sensor.name())) {
                throw new IllegalArgumentException("names must differ, was twice " + sensor.name());
            }
            sensors.add(sensor);
        }

        /** Between rounds; 500 ms unless told. */
        public Builder every(Duration between) {
            interval = positive(between, "interval");
            return this;
        }

        /** A reading that takes longer hangs; 100 ms unless told, and by the system's clock. */
        public Builder timeout(Duration longest) {
            timeout = positive(longest, "timeout");
            return this;
        }

        /** The clock by which readings age; {@link Ticker#system()} unless told. */
        public Builder ticker(Ticker clock) {
            ticker = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /** Reads on this instead of a thread of its own; one that hangs then holds up a thread there. */
        public Builder readingOn(Executor other) {
            executor = Objects.requireNonNull(other, "other");
            return this;
        }

        private static Duration positive(Duration duration, String name) {
            if (duration.isNegative() || duration.isZero()) {
                throw new IllegalArgumentException(name + " must be > 0, was " + duration);
            }
            return duration;
        }

        /** The watch, with a thread that keeps time; the first round begins at once. */
        public Sensors start() {
            Sensors watch = build();
            watch.keepTime();
            return watch;
        }

        /** The watch without a thread that keeps time: the owner calls {@link Sensors#round()} every interval. */
        public Sensors build() {
            return new Sensors(this);
        }
    }

    private void keepTime() {
        Thread thread = new Thread(this::rounds, "weir-sensors");
        thread.setDaemon(true);
        clock = thread;
        thread.start();
    }

    /* Only close ends the watch: an interrupt that a listener left behind does not. */
    private void rounds() {
        boolean goesOn = true;
        while (goesOn) {
            round();
            Thread.interrupted();
            goesOn = waited();
        }
    }

    private boolean waited() {
        try {
            return !closed.await(intervalNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException early) {
            return closed.getCount() > 0;
        }
    }

    /**
     * Reads every sensor that does not hang, then calls the listeners. Waits for each reading at most as long as the
     * timeout; once one has not ended in time, for all that remain together. Does nothing while another thread does the same, and after close. If the thread is interrupted, the round
     * ends, and it stays interrupted.
     */
    public void round() {
        if (closed.getCount() == 0 || !busy.compareAndSet(false, true)) {
            return;
        }
        try {
            lane.readAll(sensors, timeoutNanos, ticker);
            publish();
            tell();
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

    private void tell() {
        for (Runnable listener : listeners) {
            try {
                listener.run();
            } catch (Throwable thrown) {
                failures.getAndIncrement();
            }
        }
    }

    /**
     * The last good readings by name, of no sensor older than three intervals; unmodifiable, empty if the rounds have
     * stopped for so long. At once, from a field.
     */
    public Map<String, Double> readings() {
        Published last = published;
        boolean old = closed.getCount() == 0 || ticker.read() - last.at > OLDEST_INTERVALS * intervalNanos;
        return old ? Map.of() : last.readings;
    }

    /** How each sensor stands, in the order they were named. At once. */
    public List<SensorHealth> health() {
        long now = ticker.read();
        return sensors.stream().map(sensor -> sensor.health(now)).toList();
    }

    /** How often a listener threw. */
    public long failures() {
        return failures.get();
    }

    /**
     * Calls this after each round, on the thread that keeps time, until unregistered: {@code control::look}. What it
     * throws is counted; it must not block, for the watch waits for it.
     */
    public Registration onRound(Runnable listener) {
        Objects.requireNonNull(listener, "listener");
        Runnable added = () -> listener.run();
        listeners.add(added);
        return () -> listeners.remove(added);
    }

    /** Stops the threads, also those of hanging sensors if they heed an interrupt; waits for none. Idempotent. */
    @Override
    public void close() {
        closed.countDown();
        Thread keeping = clock;
        if (keeping != null) {
            keeping.interrupt();
        }
        end();
    }

    private void end() {
        lane.close();
        sensors.forEach(Sensor::stop);
    }
}
