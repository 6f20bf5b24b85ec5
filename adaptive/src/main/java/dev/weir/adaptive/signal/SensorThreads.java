package dev.weir.adaptive.signal;

import dev.weir.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The threads that take readings: one that takes them one after the other, and one each for sensors that hang; or the
 * executor of the caller. One round at a time; any thread may call {@link #close()}.
 */
final class SensorThreads {
    /*
     * A round waits for at most one reading that hangs, then for all that remain together: for two timeouts at most, however
     * many hang. A sensor that was late is started first and not waited for; a later round takes its reading:
     *
     *     round         the thread              threads of their own
     *     1             cpu, disk ...           memory, queue
     *       waits for        (disk hangs)       (memory hangs)
     *     2             cpu, queue              (disk and memory hang)
     *     3             cpu, queue              disk returned: taken, and started again
     */
    private final @Nullable Executor supplied;
    private final Ticker clock = Ticker.system();
    /* A hung thread keeps its executor; the next reading opens another. */
    private volatile @Nullable ThreadPoolExecutor own;
    private volatile boolean closed;

    SensorThreads(@Nullable Executor supplied) {
        this.supplied = supplied;
    }

    /** Reads every sensor that does not hang; {@code ticker} dates the readings. */
    void readAll(List<Sensor> sensors, long timeoutNanos, Ticker ticker) throws InterruptedException {
        List<Sensor> rest = new ArrayList<>();
        for (Sensor sensor : sensors) {
            if (!sensor.ended(0)) {
                sensor.hangs();
            } else if (sensor.late()) {
                sensor.begin(this::apart, ticker.read(), timeoutNanos);
            } else {
                rest.add(sensor);
            }
        }
        rest = afterOneThatHangs(rest, timeoutNanos, ticker);
        readTogether(rest, timeoutNanos, ticker);
        for (Sensor sensor : sensors) {
            sensor.ended(0);
        }
    }

    private List<Sensor> afterOneThatHangs(List<Sensor> sensors, long timeoutNanos, Ticker ticker)
            throws InterruptedException {
        for (int i = 0; i < sensors.size() && !closed; i++) {
            Sensor sensor = sensors.get(i);
            sensor.begin(this::inTurn, ticker.read(), timeoutNanos);
            if (!sensor.ended(timeoutNanos)) {
                sensor.hangs();
                leave();
                return sensors.subList(i + 1, sensors.size());
            }
        }
        return List.of();
    }

    private void readTogether(List<Sensor> sensors, long timeoutNanos, Ticker ticker) throws InterruptedException {
        for (Sensor sensor : sensors) {
            if (!closed) {
                sensor.begin(this::apart, ticker.read(), timeoutNanos);
            }
        }
        long from = clock.read();
        for (Sensor sensor : sensors) {
            if (!sensor.ended(Math.max(0, timeoutNanos - (clock.read() - from)))) {
                sensor.hangs();
            }
        }
    }

    private void inTurn(Runnable reading) {
        (supplied != null ? supplied : opened()).execute(reading);
    }

    private void apart(Runnable reading) {
        if (supplied != null) {
            supplied.execute(reading);
        } else {
            thread(reading).start();
        }
    }

    private static Thread thread(Runnable reading) {
        Thread thread = new Thread(reading, "weir-sensor");
        thread.setDaemon(true);
        return thread;
    }

    private ThreadPoolExecutor opened() {
        ThreadPoolExecutor open = own;
        if (open == null) {
            open = new ThreadPoolExecutor(
                    1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), SensorThreads::thread);
            own = open;
        }
        return open;
    }

    /** Leaves the thread to the reading that hangs; the thread ends when the reading does. */
    private void leave() {
        ThreadPoolExecutor open = own;
        own = null;
        if (open != null) {
            open.shutdown();
        }
    }

    /** Starts no more readings; one that is under way continues. */
    void close() {
        closed = true;
        leave();
    }
}
