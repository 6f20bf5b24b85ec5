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

/** One signal under watch. The rounds write, one at a time; anybody reads how it stands. */
final class Sensor {
    /** So many same readings of what should move are no readings. */
    static final int SAME = 20;

    /** How it stands at a moment; a good value is of the instant {@code at}. */
    private record Standing(State state, double value, long at, boolean everGood, String source, long failures) {}

    /** What was read, and how long after it was begun, by the system's clock. */
    private record Reading(double value, String source, long took) {}

    private final String name;
    private final Signal signal;
    private final boolean moves;
    private volatile Standing standing = new Standing(State.UNAVAILABLE, Double.NaN, 0, false, "", 0);
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

    /** Whether its last reading took longer than the timeout. */
    boolean late() {
        return late;
    }

    /** Begins a reading, of this instant, while none is under way. */
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

    /** Whether no reading is under way, after so long at most; takes what one that has ended has found. */
    boolean ended(long nanos) throws InterruptedException {
        FutureTask<Reading> task = underway;
        if (task == null) {
            return true;
        }
        try {
            took(task.get(nanos, TimeUnit.NANOSECONDS));
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

    /** Its reading did not end in time. */
    void hangs() {
        late = true;
        if (standing.state != State.HANGS) {
            failed(State.HANGS);
        }
    }

    private void failed(State state) {
        Standing s = standing;
        standing = new Standing(state, s.value, s.at, s.everGood, s.source, s.failures + 1);
    }

    private void took(Reading reading) {
        late = reading.took > timeoutNanos;
        double value = reading.value;
        same = Double.compare(value, previous) == 0 ? same + 1 : 1;
        previous = value;
        State state = !Double.isFinite(value) ? State.UNAVAILABLE : moves && same >= SAME ? State.STUCK : State.GOOD;
        Standing s = standing;
        standing = state == State.GOOD
                ? new Standing(state, value, begun, true, reading.source, s.failures)
                : new Standing(state, s.value, s.at, s.everGood, reading.source, s.failures);
    }

    /** The last good value, if it is not older than this; else NaN. */
    double value(long now, long oldest) {
        Standing s = standing;
        return s.everGood && now - s.at <= oldest ? s.value : Double.NaN;
    }

    SensorHealth health(long now) {
        Standing s = standing;
        long age = s.everGood ? Math.max(0, now - s.at) : -1;
        return new SensorHealth(name, s.state, s.value, age, s.source, s.failures);
    }

    /** Interrupts a reading that is under way. */
    void stop() {
        FutureTask<Reading> task = underway;
        if (task != null) {
            task.cancel(true);
        }
    }
}
