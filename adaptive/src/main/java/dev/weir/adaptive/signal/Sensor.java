package dev.weir.adaptive.signal;

import dev.weir.Ticker;
import dev.weir.adaptive.Signal;
import dev.weir.adaptive.signal.SensorHealth.State;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One signal and its last readings. Rounds write, one at a time; any thread reads its health. */
final class Sensor {
    /** This many equal readings of a signal that should change mean that it is stuck. */
    static final int SAME = 20;

    /** The last result of a sensor, immutable; the last good value, NaN if there was none, was read at {@code at}. */
    private record Status(State state, double value, long at, String source, long failures) {}

    /** One value with its source and the nanoseconds that reading it took, by the system clock. */
    private record Reading(double value, String source, long took) {}

    private final String name;
    private final Signal signal;
    private final boolean moves;
    private volatile Status status = new Status(State.UNAVAILABLE, Double.NaN, 0, "", 0);
    private volatile @Nullable FutureTask<Reading> underway;
    private long begun;
    private long timeoutNanos;
    private boolean late;
    private double previous = Double.NaN;
    private int same;

    Sensor(Signal signal, boolean moves) {
        this.name = Objects.requireNonNull(signal.name(), "name");
        this.signal = signal;
        this.moves = moves;
    }

    String name() {
        return name;
    }

    boolean late() {
        return late;
    }

    /** Starts a reading, dated now; to be called while none is under way. */
    void begin(Executor executor, long now, long timeout) {
        begun = now;
        timeoutNanos = timeout;
        Ticker clock = Ticker.system();
        long from = clock.read();
        FutureTask<Reading> task = new FutureTask<>(() -> {
            double value = signal.read();
            String source = signal instanceof Sourced known ? known.source().toString() : "";
            return new Reading(value, source, clock.read() - from);
        });
        underway = task;
        try {
            executor.execute(task);
        } catch (Throwable refused) {
            underway = null;
            failed(State.THROWS);
        }
    }

    /** Waits this long at most; true if no reading is under way. Takes the result of one that has ended. */
    boolean ended(long nanos) throws InterruptedException {
        FutureTask<Reading> task = underway;
        if (task == null) {
            return true;
        }
        try {
            take(task.get(nanos, TimeUnit.NANOSECONDS));
        } catch (TimeoutException tooLong) {
            return false;
        } catch (InterruptedException stopped) {
            task.cancel(true);
            underway = null;
            throw stopped;
        } catch (Throwable thrown) {
            failed(State.THROWS);
        }
        underway = null;
        return true;
    }

    void hangs() {
        late = true;
        if (status.state != State.HANGS) {
            failed(State.HANGS);
        }
    }

    private void failed(State state) {
        Status s = status;
        status = new Status(state, s.value, s.at, s.source, s.failures + 1);
    }

    private void take(Reading reading) {
        late = reading.took > timeoutNanos;
        double value = reading.value;
        same = Double.compare(value, previous) == 0 ? same + 1 : 1;
        previous = value;
        State state = !Double.isFinite(value) ? State.UNAVAILABLE : moves && same >= SAME ? State.STUCK : State.GOOD;
        Status s = status;
        status = state == State.GOOD
                ? new Status(state, value, begun, reading.source, s.failures)
                : new Status(state, s.value, s.at, reading.source, s.failures);
    }

    /** The last good value if it is not older than this, else NaN. */
    double value(long now, long oldest) {
        Status s = status;
        return now - s.at <= oldest ? s.value : Double.NaN;
    }

    SensorHealth health(long now) {
        Status s = status;
        long age = Double.isNaN(s.value) ? -1 : Math.max(0, now - s.at);
        return new SensorHealth(name, s.state, s.value, age, s.source, s.failures);
    }

    void stop() {
        FutureTask<Reading> task = underway;
        if (task != null) {
            task.cancel(true);
        }
    }
}
