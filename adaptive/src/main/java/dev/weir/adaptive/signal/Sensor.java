package dev.weir.adaptive.signal;

import dev.weir.adaptive.Signal;
import dev.weir.adaptive.signal.SensorHealth.State;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/** One signal under watch. The rounds write, one at a time; anybody reads how it stands. */
final class Sensor {
    /** So many same readings of what should move are no readings. */
    static final int SAME = 20;

    /** How it stands at a moment; a good value is of the instant {@code at}. */
    private record Standing(State state, double value, long at, boolean everGood, String source, long failures) {}

    private record Reading(double value, String source) {}

    private final String name;
    private final Signal signal;
    private final boolean moves;
    private volatile Standing standing = new Standing(State.UNAVAILABLE, Double.NaN, 0, false, "", 0);
    private volatile @Nullable FutureTask<Reading> hanging;
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

    /** Whether a reading begun earlier has still not ended; when it has, what it read is too old to be of use. */
    boolean stillHangs() {
        FutureTask<Reading> before = hanging;
        if (before != null && before.isDone()) {
            hanging = null;
        }
        return hanging != null;
    }

    /** Takes a reading on this lane and waits for it for so long. */
    void read(Lane lane, long timeoutNanos, long now) throws InterruptedException {
        FutureTask<Reading> task = new FutureTask<>(() -> new Reading(
                signal.read(), signal instanceof Sourced known ? known.source().toString() : ""));
        try {
            Reading reading = lane.run(task, timeoutNanos);
            if (reading == null) {
                hanging = task;
                failed(State.HANGS);
            } else {
                took(reading, now);
            }
        } catch (InterruptedException stopped) {
            task.cancel(true);
            throw stopped;
        } catch (Throwable thrown) {
            failed(State.THROWS);
        }
    }

    private void failed(State state) {
        Standing s = standing;
        standing = new Standing(state, s.value, s.at, s.everGood, s.source, s.failures + 1);
    }

    private void took(Reading reading, long now) {
        double value = reading.value;
        same = Double.compare(value, previous) == 0 ? same + 1 : 1;
        previous = value;
        State state = !Double.isFinite(value) ? State.UNAVAILABLE : moves && same >= SAME ? State.STUCK : State.GOOD;
        Standing s = standing;
        standing = state == State.GOOD
                ? new Standing(state, value, now, true, reading.source, s.failures)
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

    /** Interrupts a reading that hangs. */
    void stop() {
        FutureTask<Reading> before = hanging;
        if (before != null) {
            before.cancel(true);
        }
    }
}
